import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
  uuidArray,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn } from '@tributary/runtime/db/list.ts';
import { type Reader, sqlState, type Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import { CheckoutLocked } from '../problems.ts';
import type { Checkout } from './checkout.ts';

export const checkouts = new EntitySchema<Checkout>({
  name: 'checkouts',
  columns: {
    ...recorded,
    organization_id: uuid,
    status: text,
    client_secret: text,
    expires_at: timestamp,
    success_url: nullable(text),
    return_url: nullable(text),
    embed_origin: nullable(text),
    product_ids: uuidArray,
    product_id: uuid,
    session_prices: json,
    price_ids: uuidArray,
    currency: text,
    custom_amount: nullable(bigint),
    seats: nullable(integer),
    min_seats: nullable(integer),
    max_seats: nullable(integer),
    amount: bigint,
    discount_amount: bigint,
    net_amount: bigint,
    tax_amount: nullable(bigint),
    tax_behavior: nullable(text),
    total_amount: bigint,
    allow_trial: boolean,
    trial_interval: nullable(text),
    trial_interval_count: nullable(integer),
    trial_end: nullable(timestamp),
    discount_id: nullable(uuid),
    allow_discount_codes: boolean,
    require_billing_address: boolean,
    subscription_id: nullable(uuid),
    customer_id: nullable(uuid),
    external_customer_id: nullable(text),
    is_business_customer: boolean,
    customer_name: nullable(text),
    customer_email: nullable(text),
    customer_ip_address: nullable(text),
    customer_billing_name: nullable(text),
    customer_billing_address: nullable(json),
    customer_tax_id: nullable(json),
    customer_metadata: json,
    metadata: json,
    custom_field_data: json,
    locale: nullable(text),
    payment_method_type: nullable(text),
    payment_processor_metadata: json,
    confirmation_token: nullable(text),
    confirmation_attempts: integer,
    confirmation_request: nullable(text),
    is_customer_unproven: boolean,
    confirmed_at: nullable(timestamp),
    resume_at: nullable(timestamp),
  },
});

export const checkoutSortKeys = ['created_at', 'expires_at', 'status'] as const;
export type CheckoutSortKey = (typeof checkoutSortKeys)[number];

export interface CheckoutQuery extends Paging {
  sorting: SortCriterion<CheckoutSortKey>[];
  product_id?: string[];
  customer_id?: string[];
  external_customer_id?: string[];
  status?: string[];
  query?: string;
}

export function listCheckouts(
  reader: Reader,
  organizationIds: readonly string[],
  query: CheckoutQuery,
): Promise<Page<Checkout>> {
  const builder = reader.getRepository(checkouts).createQueryBuilder('checkout');
  whereIn(builder, 'checkout.product_id', query.product_id);
  whereIn(builder, 'checkout.customer_id', query.customer_id);
  whereIn(builder, 'checkout.external_customer_id', query.external_customer_id);
  whereIn(builder, 'checkout.status', query.status);
  whereContains(builder, ['checkout.customer_email'], query.query);
  const columns = {
    created_at: 'checkout.created_at',
    expires_at: 'checkout.expires_at',
    status: 'checkout.status',
  };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

/** How a caller names a checkout: a merchant by its id, a buyer by its secret. */
export type CheckoutReference =
  | { id: string; organizationIds: readonly string[] }
  | { client_secret: string };

export type Lock = 'wait' | 'refuse';

/**
 * The checkout, or a 404.
 * @param lock keeps its row until the transaction ends; while another request has it, either waits or refuses (409)
 */
export async function getCheckout(
  reader: Reader,
  reference: CheckoutReference,
  lock?: Lock,
): Promise<Checkout> {
  const builder = reader.getRepository(checkouts).createQueryBuilder('checkout');
  if ('client_secret' in reference) builder.where('checkout.client_secret = :client_secret', reference);
  else {
    builder.where('checkout.id = :id', reference);
    whereIn(builder, 'checkout.organization_id', reference.organizationIds);
  }
  if (lock) builder.setLock('pessimistic_write');
  if (lock === 'refuse') builder.setOnLocked('nowait');
  const checkout = await builder.getOne().catch((error: unknown) => {
    if (sqlState(error) === LOCK_NOT_AVAILABLE) {
      throw new Problem(CheckoutLocked, 'Another request is changing this checkout.', { 'retry-after': '1' });
    }
    throw error;
  });
  if (!checkout) throw notFound('Checkout not found');
  return checkout;
}

const LOCK_NOT_AVAILABLE = '55P03';

/** A checkout by id, whoever asks. */
export const findCheckout = (reader: Reader, id: string): Promise<Checkout | null> =>
  reader.getRepository(checkouts).findOneBy({ id });

/** A checkout by id with its row locked. */
export const lockCheckout = (tx: Tx, id: string): Promise<Checkout> =>
  tx
    .getRepository(checkouts)
    .createQueryBuilder('checkout')
    .where('checkout.id = :id', { id })
    .setLock('pessimistic_write')
    .getOneOrFail();

/** Whether the customer is about to pay for another subscription: confirmed, and not yet ended. */
export const hasConfirmedCheckout = (
  reader: Reader,
  customerId: string,
  exceptId: string,
): Promise<boolean> =>
  reader
    .getRepository(checkouts)
    .createQueryBuilder('checkout')
    .innerJoin('products_replica', 'product', `product.id = checkout.product_id`)
    .where(
      `checkout.customer_id = :customerId and checkout.id <> :exceptId and checkout.status = 'confirmed'`,
      {
        customerId,
        exceptId,
      },
    )
    .andWhere(`(product.value ->> 'is_recurring')::boolean`)
    .getExists();

/** Confirmed checkouts whose end is overdue, the longest waiting first. */
export async function dueCheckouts(reader: Reader, now: Date, limit: number): Promise<Checkout[]> {
  return reader
    .getRepository(checkouts)
    .createQueryBuilder('checkout')
    .where(`checkout.status = 'confirmed' and checkout.resume_at <= :now`, { now })
    .orderBy('checkout.resume_at')
    .limit(limit)
    .getMany();
}

const overdue = (reader: Reader, now: Date) =>
  reader
    .getRepository(checkouts)
    .createQueryBuilder('checkout')
    .where(`checkout.status = 'open' and checkout.expires_at <= :now`, { now });

/** Open checkouts whose time is over, the longest overdue first. */
export const expiredCheckouts = (reader: Reader, now: Date, limit: number): Promise<Checkout[]> =>
  overdue(reader, now).orderBy('checkout.expires_at').limit(limit).getMany();

/** Those of them that still are, with their rows locked; what another process has is left to it. */
export const lockExpired = (tx: Tx, ids: readonly string[], now: Date): Promise<Checkout[]> =>
  overdue(tx, now)
    .andWhere('checkout.id = any(:ids)', { ids })
    .setLock('pessimistic_write')
    .setOnLocked('skip_locked')
    .getMany();

/** Takes a due checkout for a while, so that other processes leave it alone. */
export async function leaseCheckout(tx: Reader, id: string, seenAt: Date, until: Date): Promise<boolean> {
  const { affected } = await tx
    .createQueryBuilder()
    .update(checkouts)
    .set({ resume_at: until })
    .where(`id = :id and status = 'confirmed' and resume_at = :seenAt`, { id, seenAt })
    .execute();
  return affected === 1;
}

export async function insertCheckout(tx: Tx, checkout: Checkout, messages: OutgoingMessage[]): Promise<void> {
  await tx.getRepository(checkouts).insert(checkout as never);
  await emit(tx, messages);
}

/** Writes a checkout whose row is locked. */
export async function saveCheckout(tx: Tx, checkout: Checkout, messages: OutgoingMessage[]): Promise<void> {
  const { id, ...columns } = checkout;
  await tx.getRepository(checkouts).update(id, columns as never);
  await emit(tx, messages);
}

/** Takes the person out of the sessions that were theirs, by customer or by the address they typed. */
export async function forgetBuyer(
  tx: Pick<Tx, 'query'>,
  customer: { id: string; organization_id: string; email: string | null },
): Promise<void> {
  await tx.query(
    `update checkouts set
       customer_name = null, customer_email = null, customer_ip_address = null, customer_billing_name = null,
       customer_billing_address = null, customer_tax_id = null, customer_metadata = '{}', custom_field_data = '{}'
     where customer_id = $1
        or (organization_id = $2 and customer_id is null and lower(customer_email) = lower($3))`,
    [customer.id, customer.organization_id, customer.email],
  );
}
