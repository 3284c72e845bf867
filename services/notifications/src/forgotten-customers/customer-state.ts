import { ANONYMIZED_KEY, isAnonymized } from '@tributary/proto/anonymized.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** What is read of a customer's state. */
export const CustomerState = z.object({
  id: Id,
  organization_id: Id,
  email: z.string().nullish(),
  deleted_at: z.string().nullish(),
  modified_at: z.iso.datetime({ offset: true }).nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});
export type CustomerState = z.output<typeof CustomerState>;

/** What is read of a member's state: a person who acts for a customer. */
export const MemberState = z.object({ id: Id, customer_id: Id, email: z.string().nullish() });

/**
 * When a customer was anonymized; null while it is not. What was said of it before that instant is personal.
 * @param told when the state was written, for a customer that does not say
 */
export function forgottenAt(customer: CustomerState, told: Date): Date | null {
  if (!isAnonymized(customer)) return null;
  const noted = customer.metadata?.[ANONYMIZED_KEY];
  const instant = new Date(typeof noted === 'string' ? noted : (customer.modified_at ?? Number.NaN));
  return Number.isNaN(instant.getTime()) ? told : instant;
}

/** The hash in an anonymized address: it was made from the address that the customer had last. */
export const hashInAddress = (address: string | null | undefined): string | undefined =>
  /^([0-9a-f]{64})@/.exec(address ?? '')?.[1];
