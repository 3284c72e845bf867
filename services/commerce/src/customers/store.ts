import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import {
  boolean,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereContains, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import { type Reader, type Tx, violatedConstraint } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { invalid, notFound, Problem } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import { AmbiguousExternalCustomerID } from '../problems.ts';
import type { Customer } from './customer.ts';

export const customers = new EntitySchema<Customer>({
  name: 'customers',
  columns: {
    ...recorded,
    organization_id: uuid,
    deleted_at: nullable(timestamp),
    metadata: json,
    external_id: nullable(text),
    email: nullable(text),
    email_verified: boolean,
    type: text,
    name: nullable(text),
    billing_name: nullable(text),
    billing_address: nullable(json),
    tax_id: nullable(json),
    locale: nullable(text),
    default_payment_method_id: nullable(uuid),
    first_user_event_at: nullable(timestamp),
    short_code: text,
    invoice_count: integer,
    receipt_count: integer,
  },
});

export const customerSortKeys = ['created_at', 'email', 'name'] as const;
export type CustomerSortKey = (typeof customerSortKeys)[number];

export interface CustomerQuery extends Paging {
  sorting: SortCriterion<CustomerSortKey>[];
  email?: string;
  query?: string;
  active?: boolean;
  metadata?: MetadataFilter;
}

const HAS_SUBSCRIPTION = `exists (select 1 from subscriptions subscription
  where subscription.customer_id = customer.id and subscription.organization_id = customer.organization_id
    and subscription.status in ('active', 'trialing'))`;

export function listCustomers(
  reader: Reader,
  organizationIds: readonly string[],
  query: CustomerQuery,
): Promise<Page<Customer>> {
  const builder = live(reader);
  if (query.email !== undefined)
    builder.andWhere('lower(customer.email) = lower(:email)', { email: query.email });
  if (query.active !== undefined)
    builder.andWhere(query.active ? HAS_SUBSCRIPTION : `not ${HAS_SUBSCRIPTION}`);
  whereContains(builder, ['customer.email', 'customer.name', 'customer.external_id'], query.query);
  whereMetadata(builder, 'customer.metadata', query.metadata);
  const columns = { created_at: 'customer.created_at', email: 'customer.email', name: 'customer.name' };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

const live = (reader: Reader) =>
  reader.getRepository(customers).createQueryBuilder('customer').where('customer.deleted_at is null');

/** How a caller names a customer. */
export type CustomerReference = { id: string } | { external_id: string };

/** The live customer, or a 404. @param lock keeps its row until the transaction ends */
export async function getCustomer(
  reader: Reader,
  organizationIds: readonly string[],
  reference: CustomerReference,
  lock = false,
): Promise<Customer> {
  const found = await findCustomers(reader, organizationIds, reference, lock);
  if (found.length > 1) {
    throw new Problem(
      AmbiguousExternalCustomerID,
      'Several organizations have a customer with this external ID.',
    );
  }
  if (!found[0]) throw notFound('Customer not found');
  return found[0];
}

/** The live customers of that name: at most one for an id, one in each organization for an external id; two suffice. */
export function findCustomers(
  reader: Reader,
  organizationIds: readonly string[],
  reference: CustomerReference,
  lock = false,
): Promise<Customer[]> {
  const builder = live(reader);
  whereIn(builder, 'customer.organization_id', organizationIds);
  if ('id' in reference) builder.andWhere('customer.id = :id', reference);
  else builder.andWhere('customer.external_id = :external_id', reference);
  if (lock) builder.setLock('pessimistic_write');
  return builder.limit(2).getMany();
}

/** A customer that was deleted, by id: its external id is free and may be another's. */
export async function findDeleted(
  reader: Reader,
  organizationIds: readonly string[],
  reference: CustomerReference,
): Promise<Customer | null> {
  if (!('id' in reference)) return null;
  const builder = reader
    .getRepository(customers)
    .createQueryBuilder('customer')
    .where('customer.id = :id and customer.deleted_at is not null', reference);
  whereIn(builder, 'customer.organization_id', organizationIds);
  return builder.getOne();
}

/** The organization's live customer, or undefined. */
export async function findCustomer(
  reader: Reader,
  organizationId: string,
  reference: CustomerReference,
): Promise<Customer | undefined> {
  return (await findCustomers(reader, [organizationId], reference))[0];
}

/** The organization's live customer with this e-mail address, or null. */
export function findCustomerByEmail(
  reader: Reader,
  organizationId: string,
  email: string,
): Promise<Customer | null> {
  return live(reader)
    .andWhere('customer.organization_id = :organizationId and lower(customer.email) = lower(:email)', {
      organizationId,
      email,
    })
    .getOne();
}

const locked = (tx: Tx, id: string) =>
  tx
    .getRepository(customers)
    .createQueryBuilder('customer')
    .where('customer.id = :id', { id })
    .setLock('pessimistic_write');

/** A customer by id with its row locked, deleted or not. */
export const lockCustomer = (tx: Tx, id: string): Promise<Customer> => locked(tx, id).getOneOrFail();

/** The same, or null when there never was one. */
export const findAndLockCustomer = (tx: Tx, id: string): Promise<Customer | null> => locked(tx, id).getOne();

/** Customers by id, deleted ones too: what other records show of them stays readable. */
export async function customersById(reader: Reader, ids: readonly string[]): Promise<Map<string, Customer>> {
  if (ids.length === 0) return new Map();
  const found = await reader
    .getRepository(customers)
    .createQueryBuilder('customer')
    .where('customer.id = any(:ids)', { ids: [...new Set(ids)] })
    .getMany();
  return new Map(found.map((customer) => [customer.id, customer]));
}

/** Whether there is, or was, such a customer. */
export const isCustomer = (reader: Reader, id: string): Promise<boolean> =>
  reader.getRepository(customers).existsBy({ id });

export async function insertCustomer(tx: Tx, customer: Customer, messages: OutgoingMessage[]): Promise<void> {
  await refusingDuplicates(customer, () => tx.getRepository(customers).insert(customer as never));
  await emit(tx, messages);
}

/** Writes a customer whose row is locked. The counters stay: they only move in the database. */
export async function saveCustomer(tx: Tx, customer: Customer, messages: OutgoingMessage[]): Promise<void> {
  const { id, invoice_count: _invoices, receipt_count: _receipts, ...columns } = customer;
  await refusingDuplicates(customer, () => tx.getRepository(customers).update(id, columns as never));
  await emit(tx, messages);
}

async function refusingDuplicates(customer: Customer, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'customers_email':
        throw invalid(
          ['body', 'email'],
          'A customer with this email address already exists.',
          'value_error',
          customer.email,
        );
      case 'customers_external_id':
        throw invalid(
          ['body', 'external_id'],
          'A customer with this external ID already exists.',
          'value_error',
          customer.external_id,
        );
      default:
        throw error;
    }
  }
}
