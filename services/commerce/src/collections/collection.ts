import type { Decline, Outcome, Sum } from '../payments/processor.ts';

/** The collecting of one order while nobody is there to pay it: attempts until it is paid or given up. */
export interface Collection {
  order_id: string;
  /** Attempts that have ended, all of them refused. */
  attempts: number;
  first_failed_at: Date | null;
}

/** An attempt repeated under its key, after a crash of either side, takes no money twice. */
export const chargeKey = ({ order_id, attempts }: Collection): string => `order:${order_id}:${attempts}`;

/** How long an attempt belongs to whoever claimed it; later, somebody else repeats it under the same key. */
export const LEASE_MS = 5 * 60_000;

/** When to look again at an order whose organization may not renew now. */
export const POSTPONE_MS = 60 * 60_000;

/** How an attempt ended. */
export type Attempt =
  | { kind: 'charged'; outcome: Exclude<Outcome, { status: 'requires_action' }>; sum: Sum }
  /** There was nothing to charge. */
  | { kind: 'impossible'; decline: Decline };

/** Why an attempt took no money; undefined when it did. */
export function declineOf(attempt: Attempt): Decline | undefined {
  if (attempt.kind === 'impossible') return attempt.decline;
  return attempt.outcome.status === 'failed' ? attempt.outcome.decline : undefined;
}
