import { boolean, id, nullable, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema } from 'typeorm';
import type { Holder } from '../benefit-grants/grant.ts';
import type { Entitlement, Seat } from './entitlement.ts';

export const entitlements = new EntitySchema<Entitlement>({
  name: 'entitlements',
  columns: {
    id,
    kind: text,
    organization_id: uuid,
    customer_id: uuid,
    product_id: uuid,
    checkout_id: nullable(uuid),
    is_active: boolean,
    has_seats: boolean,
    revoke_at: nullable(timestamp),
    created_at: timestamp,
    modified_at: nullable(timestamp),
  },
});

export const seats = new EntitySchema<Seat>({
  name: 'entitlement_seats',
  columns: {
    id,
    entitlement_id: uuid,
    customer_id: uuid,
    member_id: nullable(uuid),
    is_claimed: boolean,
  },
});

/** The entitlement, locked; null when it is not known. */
export const lockEntitlement = (tx: Tx, entitlementId: string): Promise<Entitlement | null> =>
  tx
    .getRepository(entitlements)
    .findOne({ where: { id: entitlementId }, lock: { mode: 'pessimistic_write' } });

/** The entitlement, locked; made from `draft` if it is not known yet. */
export async function ensureEntitlement(tx: Tx, draft: Entitlement): Promise<Entitlement> {
  await tx.createQueryBuilder().insert().into(entitlements).values(draft).orIgnore().execute();
  return (await lockEntitlement(tx, draft.id))!;
}

export const updateEntitlement = (tx: Tx, { id: entitlementId, ...columns }: Entitlement) =>
  tx.getRepository(entitlements).update(entitlementId, columns);

/** Entitlements by one of their references, in order of id and after `afterId`, locked. */
export function lockEntitlements(
  tx: Tx,
  column: 'product_id' | 'customer_id',
  value: string,
  afterId: string | null,
  limit: number,
): Promise<Entitlement[]> {
  const builder = tx
    .getRepository(entitlements)
    .createQueryBuilder('entitlement')
    .where(`entitlement.${column} = :value and entitlement.is_active`, { value })
    .orderBy('entitlement.id')
    .limit(limit)
    .setLock('pessimistic_write');
  if (afterId) builder.andWhere('entitlement.id > :afterId', { afterId });
  return builder.getMany();
}

export async function hasEntitlements(reader: Pick<Reader, 'query'>, customerId: string): Promise<boolean> {
  const [row]: { found: boolean }[] = await reader.query(
    `select exists (select 1 from entitlements where customer_id = $1)
         or exists (select 1 from benefit_grants where customer_id = $1) as found`,
    [customerId],
  );
  return row!.found;
}

/** Entitlements whose grace is over, locked; those being worked on elsewhere are passed over. */
export const lockOverdue = (tx: Tx, now: Date, limit: number): Promise<Entitlement[]> =>
  tx
    .getRepository(entitlements)
    .createQueryBuilder('entitlement')
    .where('entitlement.revoke_at <= :now', { now })
    .orderBy('entitlement.revoke_at')
    .limit(limit)
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked')
    .getMany();

export const findSeat = (reader: Reader, seatId: string): Promise<Seat | null> =>
  reader.getRepository(seats).findOneBy({ id: seatId });

export const saveSeat = (tx: Tx, seat: Seat) =>
  tx
    .createQueryBuilder()
    .insert()
    .into(seats)
    .values(seat)
    .orUpdate(['entitlement_id', 'customer_id', 'member_id', 'is_claimed'], ['id'])
    .execute();

/** Seats of an entitlement in order of id, after `afterId`. */
export function seatsAfter(
  reader: Reader,
  entitlementId: string,
  afterId: string | null,
  limit: number,
): Promise<Seat[]> {
  const builder = reader
    .getRepository(seats)
    .createQueryBuilder('seat')
    .where('seat.entitlement_id = :entitlementId', { entitlementId })
    .orderBy('seat.id')
    .limit(limit);
  if (afterId) builder.andWhere('seat.id > :afterId', { afterId });
  return builder.getMany();
}

/** Which of some holders have a claimed seat of the entitlement. */
export async function claimantsAmong(
  reader: Pick<Reader, 'query'>,
  entitlementId: string,
  customerIds: readonly string[],
): Promise<Holder[]> {
  return reader.query(
    `select distinct customer_id, member_id from entitlement_seats
     where entitlement_id = $1 and is_claimed and customer_id = any($2)`,
    [entitlementId, customerIds],
  );
}

/** Which of the customers have not been deleted, held until the transaction ends: a deletion waits for it. */
export async function holdLiveCustomers(tx: Tx, ids: readonly string[]): Promise<Set<string>> {
  const rows: { id: string }[] = await tx.query(
    `select id from customers_replica
     where id = any($1) and value is not null and value ->> 'deleted_at' is null order by id for share`,
    [[...new Set(ids)]],
  );
  return new Set(rows.map((row) => row.id));
}
