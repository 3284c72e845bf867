/** Days from each failed attempt to the next, so that attempts fall on days 0, 2, 7, 14 and 21. */
const RETRY_AFTER_DAYS = [2, 5, 7, 7] as const;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Recovery ends this long after the first failure, whatever has been tried until then. */
const WINDOW_MS = 21 * DAY_MS + MINUTE_MS;

/** What is known of an order when an attempt to collect it fails. */
export interface FailedAttempt {
  /** When the first attempt failed; the present one, if it is the first. */
  firstFailedAt: Date;
  /** Failed attempts so far, this one included. */
  failures: number;
  /** The bank says that the method will never pay: trying it again is useless and may be fined. */
  isHardDecline: boolean;
}

/**
 * When to try again, or null when recovery is over. A hard decline waits for the last moment of the window, which
 * leaves the customer the whole of it to save another payment method.
 */
export function nextAttemptAt(
  { firstFailedAt, failures, isHardDecline }: FailedAttempt,
  now: Date,
): Date | null {
  const deadline = recoveryDeadline(firstFailedAt);
  const days = RETRY_AFTER_DAYS[failures - 1];
  if (now >= deadline || days === undefined) return null;
  return isHardDecline ? deadline : new Date(now.getTime() + days * DAY_MS);
}

/** The end of the recovery window. */
export const recoveryDeadline = (firstFailedAt: Date): Date => new Date(firstFailedAt.getTime() + WINDOW_MS);
