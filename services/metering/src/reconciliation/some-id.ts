import { firstIdOf, idTime, LEAST_ID } from '@tributary/proto/id.ts';

/** A place to begin at among ids, which begin with the time of their making; below them all when there are none. */
export function someIdBetween(first: string | null, last: string | null): string {
  if (first === null || last === null) return LEAST_ID;
  const [from, to] = [idTime(first), idTime(last)];
  return firstIdOf(from + Math.floor(Math.random() * (to - from + 1)));
}
