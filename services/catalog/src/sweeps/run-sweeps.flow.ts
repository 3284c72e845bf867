import { type Database, inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import type { App } from '../app.ts';
import {
  announce,
  type Changed,
  refreshGrant,
  republishGrants,
  revokeGrant,
} from '../benefit-grants/change-grants.flow.ts';
import { type Grant, isGranted } from '../benefit-grants/grant.ts';
import { lockGranted, lockGrantsOf } from '../benefit-grants/store.ts';
import type { Benefit } from '../benefits/benefit.ts';
import { renewGrants } from '../entitlements/renew-grants.flow.ts';
import { lockEntitlement, lockEntitlements, seatsAfter } from '../entitlements/store.ts';
import {
  benefitsOf,
  endEntitlements,
  syncEntitlements,
  syncSeatHolders,
} from '../entitlements/sync-entitlement.flow.ts';
import { republishProducts } from '../products/publish-product.flow.ts';
import { lockProductsWith } from '../products/store.ts';
import type { Sweep, SweepKind } from './sweep.ts';

/** Records one step handles, in one transaction. */
const BATCH = 100;
const RETRY_AFTER_MS = 30_000;

/** Does the records after the sweep's mark and returns the last one's id, or null when none are left. */
type Step = (tx: Tx, sweep: Sweep, app: App, now: Date) => Promise<string | null>;

const steps: Record<SweepKind, Step> = {
  'products-of-benefit': productsWith('benefit'),
  'products-of-custom-field': productsWith('custom-field'),
  'products-of-file': productsWith('file'),
  'products-of-meter': productsWith('meter'),
  async 'entitlements-of-product'(tx, sweep, _app, now) {
    const found = await lockEntitlements(tx, 'product_id', sweep.target_id, sweep.after_id, BATCH);
    await syncEntitlements(tx, found, now);
    return mark(found);
  },
  async 'seats-of-entitlement'(tx, sweep, _app, now) {
    const entitlement = await lockEntitlement(tx, sweep.target_id);
    if (!entitlement) return null;
    const seats = await seatsAfter(tx, entitlement.id, sweep.after_id, BATCH);
    await syncSeatHolders(tx, entitlement, seats, now);
    return mark(seats);
  },
  async 'renewal-of-entitlement'(tx, sweep, _app, now) {
    const grants = await lockGranted(tx, 'entitlement_id', sweep.target_id, sweep.after_id, BATCH);
    await renewGrants(tx, grants, sweep.created_at, now);
    return mark(grants);
  },
  'grants-of-benefit': grantsWith('benefit_id', (tx, grant, benefit, now) =>
    benefit.deleted_at ? revokeGrant(tx, grant, now) : refreshGrant(tx, grant, benefit, now),
  ),
  async 'entitlements-of-customer'(tx, sweep, _app, now) {
    const found = await lockEntitlements(tx, 'customer_id', sweep.target_id, sweep.after_id, BATCH);
    await endEntitlements(tx, found, now);
    return mark(found);
  },
  async 'grants-of-customer'(tx, sweep, _app, now) {
    const grants = await lockGrantsOf(tx, sweep.target_id, sweep.after_id, BATCH);
    const [standing, over] = [grants.filter(isGranted), grants.filter((grant) => !isGranted(grant))];
    const changes: Changed[] = [];
    for (const grant of standing) changes.push(await revokeGrant(tx, grant, now));
    await announce(tx, changes, now);
    // copies of these must not go on showing who the customer was
    await republishGrants(tx, over);
    return mark(grants);
  },
};

function productsWith(what: Parameters<typeof lockProductsWith>[1]): Step {
  return async (tx, sweep, { links }) => {
    const products = await lockProductsWith(tx, what, sweep.target_id, sweep.after_id, BATCH);
    await republishProducts(tx, products, links);
    return mark(products);
  };
}

function grantsWith(
  column: Parameters<typeof lockGranted>[1],
  change: (tx: Tx, grant: Grant, benefit: Benefit, now: Date) => Promise<Changed>,
): Step {
  return async (tx, sweep, _app, now) => {
    const grants = await lockGranted(tx, column, sweep.target_id, sweep.after_id, BATCH);
    const benefits = await benefitsOf(tx, grants);
    const changes: Changed[] = [];
    for (const grant of grants) changes.push(await change(tx, grant, benefits.get(grant.benefit_id)!, now));
    await announce(tx, changes, now);
    return mark(grants);
  };
}

const mark = (records: readonly { id: string }[]): string | null =>
  records.length < BATCH ? null : records.at(-1)!.id;

/** Takes one step of the sweep that is due first; returns whether there was one. */
export async function runSweeps(app: App, now: Date): Promise<boolean> {
  let current: Sweep | undefined;
  try {
    await inTransaction(app.db, async (tx) => {
      current = await claimSweep(tx, now);
      if (current) await moveOn(tx, current, await steps[current.kind](tx, current, app, now));
    });
  } catch (error) {
    if (current) await postpone(app.db, current, now);
    throw error;
  }
  return current !== undefined;
}

async function claimSweep(tx: Tx, now: Date): Promise<Sweep | undefined> {
  const [sweep]: Sweep[] = await tx.query(
    'select * from sweeps where due_at <= $1 order by due_at, id limit 1 for update skip locked',
    [now],
  );
  return sweep;
}

async function moveOn(tx: Tx, { id }: Sweep, afterId: string | null): Promise<void> {
  if (afterId === null) await tx.query('delete from sweeps where id = $1', [id]);
  else await tx.query('update sweeps set after_id = $2 where id = $1', [id, afterId]);
}

/** One sweep that fails must not hold up the others. */
const postpone = (db: Database, { id }: Sweep, now: Date) =>
  db.query('update sweeps set due_at = $2 where id = $1', [id, new Date(now.getTime() + RETRY_AFTER_MS)]);
