/** Why the embedded start cannot go on, in one line for the person who started it. */
export class StartFailure extends Error {}
