import { json, nullable, recorded, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema, type SelectQueryBuilder } from 'typeorm';
import type { CustomerSeat, SeatContainer } from './customer-seat.ts';

export const customerSeats = new EntitySchema<CustomerSeat>({
  name: 'customer_seats',
  columns: {
    ...recorded,
    organization_id: uuid,
    product_id: uuid,
    subscription_id: nullable(uuid),
    order_id: nullable(uuid),
    buyer_id: uuid,
    customer_id: nullable(uuid),
    member_id: nullable(uuid),
    email: nullable(text),
    status: text,
    invitation_token_hash: nullable(text),
    invitation_token_expires_at: nullable(timestamp),
    claimed_at: nullable(timestamp),
    revoked_at: nullable(timestamp),
    seat_metadata: nullable(json),
  },
});

/** What seats are named by when somebody asks for them. */
export type ContainerReference = { subscription_id: string } | { order_id: string } | { checkout_id: string };

/** A renewal's order repeats its subscription's number of seats; the seats themselves hang on the subscription. */
const CONTAINERS = {
  subscription_id: `
    select id, 'subscription' as kind, organization_id, customer_id, product_id, seats,
           status in ('trialing', 'active', 'past_due') as "isAlive"
    from subscriptions where id = $1`,
  order_id: `
    select id, 'order' as kind, organization_id, customer_id, product_id, seats,
           status in ('paid', 'partially_refunded') as "isAlive"
    from orders where id = $1 and subscription_id is null and product_id is not null`,
} as const;

const BOUGHT_BY_CHECKOUT = `
  select 'subscription_id' as kind, id from subscriptions where checkout_id = $1
  union all
  select 'order_id', id from orders where checkout_id = $1 and subscription_id is null
  limit 1`;

/** The subscription or one-time order; with `lock` its row stays locked, which puts changes to its seats in line. */
export async function findContainer(
  reader: Reader,
  reference: ContainerReference,
  lock = false,
): Promise<SeatContainer | undefined> {
  if ('checkout_id' in reference) {
    const [bought]: { kind: 'subscription_id' | 'order_id'; id: string }[] = await reader.query(
      BOUGHT_BY_CHECKOUT,
      [reference.checkout_id],
    );
    if (!bought) return undefined;
    const { kind, id } = bought;
    return findContainer(reader, kind === 'order_id' ? { order_id: id } : { subscription_id: id }, lock);
  }
  const [sql, id] =
    'subscription_id' in reference
      ? [CONTAINERS.subscription_id, reference.subscription_id]
      : [CONTAINERS.order_id, reference.order_id];
  const [found]: SeatContainer[] = await reader.query(lock ? `${sql} for update` : sql, [id]);
  return found;
}

/** Locks what a seat belongs to; always before the seat itself, so that no two changes wait for each other. */
export async function lockContainerOf(
  tx: Tx,
  seat: Pick<CustomerSeat, 'subscription_id' | 'order_id'>,
): Promise<SeatContainer> {
  const reference = seat.subscription_id
    ? { subscription_id: seat.subscription_id }
    : { order_id: seat.order_id ?? '' };
  const container = await findContainer(tx, reference, true);
  if (!container) throw new Error(`seat without ${JSON.stringify(reference)}`);
  return container;
}

const seats = (reader: Reader): SelectQueryBuilder<CustomerSeat> =>
  reader.getRepository(customerSeats).createQueryBuilder('seat');

const column = (container: Pick<SeatContainer, 'kind'>) =>
  container.kind === 'subscription' ? 'seat.subscription_id' : 'seat.order_id';

/** Every seat of a container, revoked ones too, in the order they were made. */
export const seatsOf = (
  reader: Reader,
  container: Pick<SeatContainer, 'id' | 'kind'>,
): Promise<CustomerSeat[]> =>
  seats(reader)
    .where(`${column(container)} = :id`, container)
    .orderBy('seat.created_at')
    .addOrderBy('seat.id')
    .getMany();

/** Seats that are given away: those invited to and those claimed. */
export const countTaken = (reader: Reader, container: Pick<SeatContainer, 'id' | 'kind'>): Promise<number> =>
  seats(reader)
    .where(`${column(container)} = :id and seat.status <> 'revoked'`, container)
    .getCount();

/** The seat somebody has or is invited to. */
export const findSeatOf = (
  reader: Reader,
  container: Pick<SeatContainer, 'id' | 'kind'>,
  occupant: { customer_id: string; member_id: string | null },
): Promise<CustomerSeat | null> =>
  seats(reader)
    .where(`${column(container)} = :id and seat.status <> 'revoked' and seat.customer_id = :customer_id`, {
      id: container.id,
      ...occupant,
    })
    .andWhere('seat.member_id is not distinct from cast(:member_id as uuid)', occupant)
    .getOne();

/** A seat that was taken away from its last holder and can be given to another. */
export const findRevokedSeat = (
  reader: Reader,
  container: Pick<SeatContainer, 'id' | 'kind'>,
): Promise<CustomerSeat | null> =>
  seats(reader)
    .where(`${column(container)} = :id and seat.status = 'revoked'`, container)
    .orderBy('seat.revoked_at')
    .addOrderBy('seat.id')
    .limit(1)
    .getOne();

/** Who may see a seat: the merchant's organizations, or the customer who bought it. */
export type SeatScope = { organizationIds: readonly string[] } | { buyerId: string };

export function findSeat(reader: Reader, scope: SeatScope, id: string): Promise<CustomerSeat | null> {
  const builder = seats(reader).where('seat.id = :id', { id });
  if ('buyerId' in scope) builder.andWhere('seat.buyer_id = :buyerId', scope);
  else builder.andWhere('seat.organization_id = any(:organizationIds)', scope);
  return builder.getOne();
}

export const findSeatByToken = (reader: Reader, hash: string): Promise<CustomerSeat | null> =>
  seats(reader).where('seat.invitation_token_hash = :hash', { hash }).getOne();

/** A seat as it is now, with its row locked. */
export const lockSeat = (tx: Tx, id: string): Promise<CustomerSeat> =>
  seats(tx).where('seat.id = :id', { id }).setLock('pessimistic_write').getOneOrFail();

/** Whose seats: a purchase's, a member's, those a customer bought, or those a customer sits on. */
export type SeatsOf =
  | { subscription_id: string }
  | { order_id: string }
  | { member_id: string }
  | { buyer_id: string }
  | { customer_id: string };

/** At most `batch` seats that are still somebody's, with their rows locked. */
export function lockHeldSeats(tx: Tx, of: SeatsOf, batch: number): Promise<CustomerSeat[]> {
  const [name, id] = Object.entries(of)[0]!;
  return seats(tx)
    .where(`seat.${name} = :id and seat.status <> 'revoked'`, { id })
    .orderBy('seat.id')
    .limit(batch)
    .setLock('pessimistic_write')
    .getMany();
}

/** At most `batch` seats in order of id, whatever became of them. */
export function seatsAfter(
  tx: Tx,
  of: SeatsOf,
  afterId: string | undefined,
  batch: number,
): Promise<CustomerSeat[]> {
  const [name, id] = Object.entries(of)[0]!;
  const builder = seats(tx).where(`seat.${name} = :id`, { id }).orderBy('seat.id').limit(batch);
  if (afterId) builder.andWhere('seat.id > :afterId', { afterId });
  return builder.getMany();
}

export async function insertSeat(tx: Tx, seat: CustomerSeat): Promise<void> {
  await tx.getRepository(customerSeats).insert(seat as never);
}

/** Writes the same change to seats whose rows are locked. */
export async function updateSeats(
  tx: Tx,
  ids: readonly string[],
  change: Partial<CustomerSeat>,
): Promise<void> {
  await tx
    .createQueryBuilder()
    .update(customerSeats)
    .set(change as never)
    .where('id = any(:ids)', { ids })
    .execute();
}

/** Whether a caller may manage the seats of what was bought. */
export const isContainerWithin = (container: SeatContainer, scope: SeatScope): boolean =>
  'buyerId' in scope
    ? container.customer_id === scope.buyerId
    : scope.organizationIds.includes(container.organization_id);

export const seatsById = (reader: Reader, ids: readonly string[]): Promise<CustomerSeat[]> =>
  seats(reader).where('seat.id = any(:ids)', { ids }).getMany();

/** Forgets who held a customer's seats, or sat on others' seats as that customer. */
export async function forgetSeatsOf(tx: Tx, customerId: string): Promise<void> {
  await tx.query(
    'update customer_seats set email = null, seat_metadata = null where buyer_id = $1 or customer_id = $1',
    [customerId],
  );
}
