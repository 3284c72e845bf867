import type { Holder } from '../benefit-grants/grant.ts';

/** The right to a product's benefits that comes from one subscription or one order, whose id it has. */
export interface Entitlement {
  id: string;
  kind: 'subscription' | 'order';
  organization_id: string;
  customer_id: string;
  product_id: string;
  checkout_id: string | null;
  is_active: boolean;
  /** Benefits go to those who claimed a seat, not to the customer who pays. */
  has_seats: boolean;
  /** When an unpaid subscription's grace ends. */
  revoke_at: Date | null;
  created_at: Date;
  modified_at: Date | null;
}

export interface Seat {
  id: string;
  entitlement_id: string;
  customer_id: string;
  member_id: string | null;
  is_claimed: boolean;
}

export interface Access {
  is_active: boolean;
  revoke_at: Date | null;
}

const DAY_MS = 86_400_000;
const NONE: Access = { is_active: false, revoke_at: null };

/** Whether a subscription in this status gives its benefits, and until when if it has not been paid. */
export function accessOf(status: string, pastDueAt: Date | null, graceDays: number, now: Date): Access {
  if (status === 'active' || status === 'trialing') return { is_active: true, revoke_at: null };
  if (status !== 'past_due') return NONE;
  const deadline = new Date((pastDueAt ?? now).getTime() + graceDays * DAY_MS);
  return deadline > now ? { is_active: true, revoke_at: deadline } : NONE;
}

/** Whether grants have to be looked at again; a mere change of the deadline does not touch them. */
export const hasChanged = (before: Entitlement, after: Entitlement): boolean =>
  before.is_active !== after.is_active ||
  before.has_seats !== after.has_seats ||
  before.product_id !== after.product_id ||
  before.customer_id !== after.customer_id;

/** The customer who pays, as a holder: entitled unless benefits go to seats. */
export const payer = (entitlement: Entitlement): Holder & { is_entitled: boolean } => ({
  customer_id: entitlement.customer_id,
  member_id: null,
  is_entitled: !entitlement.has_seats,
});
