import { problemType } from '@tributary/runtime/http/problem.ts';

/** Something that was there and is no longer: a link past its time, a file found to be harmful. */
export const ResourceUnavailable = problemType('ResourceUnavailable', 410);
