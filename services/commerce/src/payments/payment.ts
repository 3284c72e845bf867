import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { type CardDetails, type Outcome, PROCESSOR, type Sum } from './processor.ts';

export const paymentStatuses = ['pending', 'succeeded', 'failed'] as const;
export type PaymentStatus = (typeof paymentStatuses)[number];

export const paymentTriggers = [
  'purchase',
  'subscription_cycle',
  'retry_dunning',
  'retry_customer',
  'retry_payment_method_update',
  'retry_admin',
] as const;
export type PaymentTrigger = (typeof paymentTriggers)[number];

/** One attempt to take money, as the processor told its end. It is never changed by hand. */
export interface Payment extends Recorded {
  organization_id: string;
  customer_id: string | null;
  customer_email: string | null;
  checkout_id: string | null;
  order_id: string | null;
  processor: typeof PROCESSOR;
  /** The processor's name for it; one payment each. */
  processor_id: string;
  status: PaymentStatus;
  amount: number;
  currency: string;
  method: string;
  method_metadata: Partial<CardDetails>;
  trigger: PaymentTrigger | null;
  decline_reason: string | null;
  decline_message: string | null;
}

export interface PaymentContext {
  organization_id: string;
  customer_id: string | null;
  customer_email: string | null;
  checkout_id: string | null;
  order_id: string | null;
  trigger: PaymentTrigger;
}

/** The record of an attempt that has ended. */
export function newPayment(
  outcome: Exclude<Outcome, { status: 'requires_action' }>,
  sum: Sum,
  context: PaymentContext,
  now: Date,
): Payment {
  const isDeclined = outcome.status === 'failed';
  const card = outcome.method?.card;
  return {
    id: newId(),
    created_at: now,
    modified_at: null,
    ...context,
    processor: PROCESSOR,
    processor_id: outcome.intentId,
    status: outcome.status,
    ...sum,
    method: 'card',
    method_metadata: card ? { brand: card.brand, last4: card.last4 } : {},
    decline_reason: isDeclined ? outcome.decline.reason : null,
    decline_message: isDeclined ? outcome.decline.message : null,
  };
}
