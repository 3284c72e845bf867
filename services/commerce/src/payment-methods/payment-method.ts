import { newId } from '@tributary/proto/id.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { Customer } from '../customers/customer.ts';
import { type CardDetails, PROCESSOR, type SavedMethod } from '../payments/processor.ts';

/** A way to pay that a customer left with us. */
export interface PaymentMethod extends Recorded {
  organization_id: string;
  customer_id: string;
  deleted_at: Date | null;
  processor: typeof PROCESSOR;
  /** The processor's name for it. */
  processor_id: string;
  type: string;
  method_metadata: CardDetails;
  fingerprint: string;
}

export const newPaymentMethod = (
  customer: Pick<Customer, 'id' | 'organization_id'>,
  saved: SavedMethod,
  now: Date,
): PaymentMethod => ({
  id: newId(),
  created_at: now,
  modified_at: null,
  deleted_at: null,
  organization_id: customer.organization_id,
  customer_id: customer.id,
  processor: PROCESSOR,
  processor_id: saved.id,
  type: saved.type,
  method_metadata: saved.card,
  fingerprint: saved.fingerprint,
});
