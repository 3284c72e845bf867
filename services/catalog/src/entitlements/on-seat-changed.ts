import { stateTopics } from '@tributary/proto/events/topics.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { productsById } from '../products/store.ts';
import type { Entitlement, Seat } from './entitlement.ts';
import { ensureEntitlement, findSeat, lockEntitlement, saveSeat } from './store.ts';
import { syncSeatHolders } from './sync-entitlement.flow.ts';

const CustomerSeat = z.looseObject({
  id: z.string(),
  status: z.string(),
  subscription_id: z.string().nullish(),
  order_id: z.string().nullish(),
  product_id: z.string().nullish(),
  customer_id: z.string().nullish(),
  member_id: z.string().nullish(),
});
type CustomerSeat = z.output<typeof CustomerSeat>;

/** Gives the benefits of a seat's product to whoever claimed the seat, and takes them from whoever lost it. */
export const onSeatChanged = consumer({
  name: 'catalog.follow-seats',
  topic: stateTopics.customer_seats.name,
  schema: CustomerSeat,
  async prepare({ value }, { db, replicas }) {
    if (!value || !isClaimed(value)) return undefined;
    await replicas.customers.get(db, [value.customer_id!]);
    if (value.member_id) await replicas.members.get(db, [value.member_id]);
    return value.product_id ? (await productsById(db.manager, [value.product_id]))[0] : undefined;
  },
  async handle({ key, value }, tx, { clock }, product) {
    const now = clock.now();
    const before = await findSeat(tx, key);
    const isNowClaimed = value !== null && isClaimed(value);
    if (!before && !isNowClaimed) return;
    const entitlementId = (isNowClaimed ? originOf(value) : undefined) ?? before!.entitlement_id;
    const entitlement = product
      ? await ensureEntitlement(tx, placeholder(value!, entitlementId, product, now))
      : await lockEntitlement(tx, entitlementId);
    if (!entitlement) throw new Error(`seat ${key} belongs to unknown ${entitlementId}`);
    const after: Seat = isNowClaimed
      ? { ...holderOf(value), id: key, entitlement_id: entitlementId, is_claimed: true }
      : { ...before!, is_claimed: false };
    await saveSeat(tx, after);
    await leaveFormer(tx, before, after, now);
    await syncSeatHolders(
      tx,
      entitlement,
      before?.entitlement_id === entitlementId ? [before, after] : [after],
      now,
    );
  },
});

/** A seat that now belongs elsewhere is taken from where it was. */
async function leaveFormer(tx: Tx, before: Seat | null, after: Seat, now: Date): Promise<void> {
  if (!before || before.entitlement_id === after.entitlement_id) return;
  const former = await lockEntitlement(tx, before.entitlement_id);
  if (former) await syncSeatHolders(tx, former, [before], now);
}

const isClaimed = (seat: CustomerSeat): boolean => seat.status === 'claimed' && seat.customer_id != null;

const originOf = (seat: CustomerSeat): string | undefined =>
  seat.subscription_id ?? seat.order_id ?? undefined;

const holderOf = (seat: CustomerSeat) => ({
  customer_id: seat.customer_id!,
  member_id: seat.member_id ?? null,
});

/** Stands for a subscription or order that has not been heard of: its own message will say whether it is active. */
const placeholder = (
  seat: CustomerSeat,
  id: string,
  product: { id: string; organization_id: string },
  now: Date,
): Entitlement => ({
  id,
  kind: seat.subscription_id ? 'subscription' : 'order',
  organization_id: product.organization_id,
  customer_id: seat.customer_id!,
  product_id: product.id,
  checkout_id: null,
  is_active: false,
  has_seats: true,
  revoke_at: null,
  created_at: now,
  modified_at: null,
});
