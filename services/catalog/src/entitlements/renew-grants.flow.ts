import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { announce, type Changed, cycleGrant } from '../benefit-grants/change-grants.flow.ts';
import type { Grant } from '../benefit-grants/grant.ts';
import { benefitsOf } from './sync-entitlement.flow.ts';

/**
 * Renews locked grants for a period that was paid for. A grant given since the renewal was ordered is that period's
 * already, and what it credits would be credited twice.
 */
export async function renewGrants(
  tx: Tx,
  grants: readonly Grant[],
  orderedAt: Date,
  now: Date,
): Promise<void> {
  const older = grants.filter(({ granted_at }) => granted_at !== null && granted_at < orderedAt);
  const benefits = await benefitsOf(tx, older);
  const changes: Changed[] = [];
  for (const grant of older) changes.push(await cycleGrant(tx, grant, benefits.get(grant.benefit_id)!, now));
  await announce(tx, changes, now);
}
