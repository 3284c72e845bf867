const FIRST_BASE_MS = 2_000;
const LONGEST_BASE_MS = 20 * 60_000;

/** A delivery is tried so many times before it has failed for good. */
export const MAX_ATTEMPTS = 10;

/**
 * How long to wait after a failed attempt: twice as long each time (4 s, 8 s, … at most 20 min), spread over the upper
 * half of that so that many failures at once do not come back at once.
 * @param failures attempts that have failed so far, one or more
 * @param random from 0 to 1
 * @returns milliseconds
 */
export function retryDelayMs(failures: number, random: number): number {
  const base = Math.min(FIRST_BASE_MS * 2 ** failures, LONGEST_BASE_MS);
  return Math.round(base * (0.5 + random / 2));
}
