import type { Tx } from '@tributary/runtime/db/transaction.ts';
import {
  announce,
  type Changed,
  createGrant,
  restoreGrant,
  revokeGrant,
} from '../benefit-grants/change-grants.flow.ts';
import { type Holder, isSameHolder } from '../benefit-grants/grant.ts';
import { lockGrants } from '../benefit-grants/store.ts';
import { mergeHolders, syncGrants } from '../benefit-grants/sync-grants.ts';
import { benefitsById, holdBenefitsOf } from '../benefits/store.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { type Entitlement, payer } from './entitlement.ts';
import { claimantsAmong, holdLiveCustomers, updateEntitlement } from './store.ts';

/** Brings the grants of some holders in line with the entitlement, whose row is locked; returns what changed. */
async function syncHolders(
  tx: Tx,
  entitlement: Entitlement,
  holders: readonly (Holder & { is_entitled: boolean })[],
  now: Date,
): Promise<Changed[]> {
  if (holders.length === 0) return [];
  const benefits = entitlement.is_active ? await holdBenefitsOf(tx, entitlement.product_id) : [];
  const live = await holdLiveCustomers(
    tx,
    holders.map((holder) => holder.customer_id),
  );
  const ids = benefits.map((benefit) => benefit.id);
  const wanted = mergeHolders(
    holders.map(({ customer_id, member_id, is_entitled }) => ({
      customer_id,
      member_id,
      benefit_ids: is_entitled && live.has(customer_id) ? ids : [],
    })),
  );
  const existing = await lockGrants(tx, entitlement.id, wanted);
  const { create, restore, revoke } = syncGrants(wanted, existing);
  const byId = new Map(benefits.map((benefit) => [benefit.id, benefit]));
  const changes: Changed[] = [];
  for (const grant of revoke) changes.push(await revokeGrant(tx, grant, now));
  for (const grant of restore) changes.push(await restoreGrant(tx, grant, byId.get(grant.benefit_id)!, now));
  for (const { benefit_id, ...holder } of create)
    changes.push(await createGrant(tx, originOf(entitlement), holder, byId.get(benefit_id)!, now));
  return changes;
}

const originOf = ({ id, kind, organization_id }: Entitlement) => ({
  organization_id,
  entitlement_id: id,
  subscription_id: kind === 'subscription' ? id : null,
  order_id: kind === 'order' ? id : null,
});

/**
 * Brings all grants of entitlements in line: the payers' now, those of seats by a sweep.
 * @param hadSeats whether there may be grants of seats although there are no seats any more
 */
export async function syncEntitlements(
  tx: Tx,
  entitlements: readonly Entitlement[],
  now: Date,
  hadSeats = false,
): Promise<void> {
  const changes: Changed[] = [];
  for (const entitlement of entitlements) {
    changes.push(...(await syncHolders(tx, entitlement, [payer(entitlement)], now)));
    if (entitlement.has_seats || hadSeats)
      await requestSweep(tx, 'seats-of-entitlement', entitlement.id, now);
  }
  await announce(tx, changes, now);
}

/** Ends entitlements whose rows are locked, and revokes what came from them. */
export async function endEntitlements(
  tx: Tx,
  entitlements: readonly Entitlement[],
  now: Date,
): Promise<void> {
  const ended = entitlements.map((entitlement) => ({
    ...entitlement,
    is_active: false,
    revoke_at: null,
    modified_at: now,
  }));
  for (const entitlement of ended) await updateEntitlement(tx, entitlement);
  await syncEntitlements(tx, ended, now);
}

/** Brings the grants of holders of seats in line; each is entitled while it has a claimed seat. */
export async function syncSeatHolders(
  tx: Tx,
  entitlement: Entitlement,
  holders: readonly Holder[],
  now: Date,
): Promise<void> {
  const claimants = await claimantsAmong(
    tx,
    entitlement.id,
    holders.map((holder) => holder.customer_id),
  );
  const marked = holders.map(({ customer_id, member_id }) => {
    const holder = { customer_id, member_id };
    return {
      ...holder,
      is_entitled: entitlement.has_seats && claimants.some((other) => isSameHolder(other, holder)),
    };
  });
  await announce(tx, await syncHolders(tx, entitlement, marked, now), now);
}

/** The benefits of grants, deleted ones too. */
export const benefitsOf = (tx: Tx, grants: readonly { benefit_id: string }[]) =>
  benefitsById(
    tx,
    grants.map((grant) => grant.benefit_id),
  );
