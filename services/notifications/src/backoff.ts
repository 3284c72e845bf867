/** How often something is tried, and how long it rests between. */
export interface Backoff {
  attempts: number;
  /** Doubled after every failure, the first included. */
  baseMs: number;
  longestMs: number;
}

/** Webhooks are tried for about half an hour: 4 s, 8 s, … 1024 s lie between the ten attempts. */
export const webhookBackoff: Backoff = { attempts: 10, baseMs: 2_000, longestMs: 20 * 60_000 };

/** Mails are tried for most of a day: mail servers turn strangers away for a while before they take their mail. */
export const emailBackoff: Backoff = { attempts: 12, baseMs: 15_000, longestMs: 3 * 3_600_000 };

/**
 * How long to wait after a failed attempt, spread over the upper half of the wait so that many failures at once do not
 * come back at once.
 * @param failures attempts that have failed so far, one or more
 * @param random from 0 to 1
 * @returns milliseconds; null when it has been tried often enough
 */
export function retryDelayMs(backoff: Backoff, failures: number, random: number): number | null {
  if (failures >= backoff.attempts) return null;
  const wait = Math.min(backoff.baseMs * 2 ** failures, backoff.longestMs);
  return Math.round(wait * (0.5 + random / 2));
}
