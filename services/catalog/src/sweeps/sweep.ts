/**
 * What a change leaves to be done for every record that depends on it, in bounded steps and after the change has
 * committed. A record that comes to depend on it later reads the new state by itself: whoever makes one locks the
 * changed row first.
 */
export const sweepKinds = [
  /** Publish the state of products that embed the target. */
  'products-of-benefit',
  'products-of-custom-field',
  'products-of-file',
  'products-of-meter',
  /** Bring grants in line with the benefits of the target product. */
  'entitlements-of-product',
  /** Bring the grants of every seat of the target entitlement in line. */
  'seats-of-entitlement',
  /** Renew the grants of every seat of the target entitlement that are older than the sweep. */
  'renewal-of-entitlement',
  /** Update the grants of the target benefit, or revoke them once it is deleted. */
  'grants-of-benefit',
  /** End every entitlement of the target customer, who has been deleted. */
  'entitlements-of-customer',
  /** Revoke what the target customer still holds and publish its grants as the customer now is. */
  'grants-of-customer',
] as const;
export type SweepKind = (typeof sweepKinds)[number];

export interface Sweep {
  id: string;
  kind: SweepKind;
  target_id: string;
  /** The last record done; null before the first step. */
  after_id: string | null;
  created_at: Date;
  /** Not before; moved on when a step fails. */
  due_at: Date;
}
