import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

/** Where a customer's owner notes that its personal data was taken out (domain rules 7.1). */
const ANONYMIZED_AT = '__anonymized_at';

/** What is read of a customer's state. */
export const CustomerState = z.object({
  id: Id,
  organization_id: Id,
  email: z.string().nullish(),
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
export function forgottenAt({ metadata, modified_at }: CustomerState, told: Date): Date | null {
  const noted = metadata?.[ANONYMIZED_AT];
  if (noted === undefined) return null;
  const instant = new Date(typeof noted === 'string' ? noted : (modified_at ?? Number.NaN));
  return Number.isNaN(instant.getTime()) ? told : instant;
}

/** The hash in an anonymized address: it was made from the address that the customer had last. */
export const hashInAddress = (address: string | null | undefined): string | undefined =>
  /^([0-9a-f]{64})@/.exec(address ?? '')?.[1];
