import type { PaymentTrigger } from '../payments/payment.ts';
import type { Decline, Outcome, Sum } from '../payments/processor.ts';

/** The collecting of one order while nobody is there to pay it: attempts until it is paid or given up. */
export interface Collection {
  order_id: string;
  /** Attempts that have ended, all of them refused. */
  attempts: number;
  /** Those of them that were made because it was time: they bring the end nearer, a customer's own tries do not. */
  failures: number;
  first_failed_at: Date | null;
  /** Why the next attempt is made. */
  trigger: CollectionTrigger;
}

export type CollectionTrigger = Extract<
  PaymentTrigger,
  'subscription_cycle' | 'retry_dunning' | 'retry_payment_method_update'
>;

/** An attempt repeated under its key, after a crash of either side, takes no money twice. */
export const chargeKey = ({ order_id, attempts }: Pick<Collection, 'order_id' | 'attempts'>): string =>
  `order:${order_id}:${attempts}`;

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
