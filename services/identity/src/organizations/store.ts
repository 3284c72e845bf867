import { stateChanged, webhookEvent } from '@tributary/proto/events/message.ts';
import {
  bigint,
  boolean,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereIn } from '@tributary/runtime/db/list.ts';
import { type Reader, sqlState, type Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { invalid, notFound } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import type { Organization } from './organization.ts';
import { presentOrganization, presentState } from './present.ts';
import type { SortKey } from './schema.ts';

export const OrganizationEntity = new EntitySchema<Organization>({
  name: 'organizations',
  columns: {
    ...recorded,
    name: text,
    slug: text,
    avatar_url: nullable(text),
    email: nullable(text),
    website: nullable(text),
    socials: json,
    status: text,
    status_changed_at: timestamp,
    next_review_threshold: bigint,
    legal_entity: nullable(json),
    details: nullable(json),
    details_submitted_at: nullable(timestamp),
    onboarding_resubmission_requested_at: nullable(timestamp),
    sso_enforced: boolean,
    default_presentment_currency: text,
    default_tax_behavior: text,
    feature_settings: json,
    subscription_settings: json,
    customer_email_settings: json,
    customer_portal_settings: json,
    dispute_settings: json,
    embed_hosts: json,
    embed_hosts_enforced: boolean,
    country: nullable(text),
    account_id: nullable(uuid),
    payout_account_id: nullable(uuid),
  },
});

const columns: Record<SortKey, string> = {
  created_at: 'organization.created_at',
  slug: 'organization.slug',
  name: 'organization.name',
  next_review_threshold: 'organization.next_review_threshold',
  days_in_status: 'organization.status_changed_at',
};

/** Longer in a status means an earlier change of it. */
const bySortedColumn = (criterion: SortCriterion<SortKey>): SortCriterion<SortKey> =>
  criterion.by === 'days_in_status'
    ? { by: criterion.by, direction: criterion.direction === 'ASC' ? 'DESC' : 'ASC' }
    : criterion;

export interface OrganizationFilter extends Paging {
  slug?: string;
  sorting: readonly SortCriterion<SortKey>[];
}

/** One page of the organizations with these ids, in two statements. */
export function listOrganizations(
  db: Reader,
  ids: readonly string[],
  { slug, sorting, ...paging }: OrganizationFilter,
): Promise<Page<Organization>> {
  const query = db.getRepository(OrganizationEntity).createQueryBuilder('organization');
  whereIn(query, 'organization.id', ids);
  if (slug !== undefined) query.andWhere('organization.slug = :slug', { slug });
  return pageOf(query, paging, sorting.map(bySortedColumn), columns);
}

export const findOrganization = (db: Reader, id: string): Promise<Organization | null> =>
  db.getRepository(OrganizationEntity).findOneBy({ id });

export const findOrganizationBySlug = (db: Reader, slug: string): Promise<Organization | null> =>
  db.getRepository(OrganizationEntity).findOneBy({ slug });

export const findOrganizations = (db: Reader, ids: readonly string[]): Promise<Organization[]> =>
  db
    .getRepository(OrganizationEntity)
    .createQueryBuilder('organization')
    .where('organization.id = any(:ids)', { ids })
    .orderBy('organization.created_at')
    .addOrderBy('organization.id')
    .getMany();

/** Stores a new organization; a slug that is taken is a 422. */
export async function insertOrganization(tx: Tx, organization: Organization): Promise<Organization> {
  try {
    await tx.getRepository(OrganizationEntity).insert(organization);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw invalid(
      ['body', 'slug'],
      'An organization with this slug already exists.',
      'value_error',
      organization.slug,
    );
  }
  await emit(tx, [stateChanged('organizations', organization.id, presentState(organization))]);
  return organization;
}

/** Locks the organization, lets `decide` change it, stores and publishes the result. */
export async function updateOrganization(
  tx: Tx,
  id: string,
  decide: (before: Organization) => Promise<Organization>,
): Promise<Organization> {
  const repository = tx.getRepository(OrganizationEntity);
  const before = await repository.findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!before) throw notFound();
  const after = await decide(before);
  await repository.update({ id }, after);
  const now = after.modified_at ?? after.created_at;
  await emit(tx, [
    stateChanged('organizations', id, presentState(after)),
    webhookEvent('organization.updated', id, presentOrganization(after), now),
  ]);
  return after;
}

/** Whether every active product of the organization has a price in the currency, as far as catalog has told. */
export async function isPricedThroughout(
  db: Reader,
  organizationId: string,
  currency: string,
): Promise<boolean> {
  const rows: unknown[] = await db.query(
    'select 1 from product_currencies where organization_id = $1 and not ($2 = any(currencies)) limit 1',
    [organizationId, currency],
  );
  return rows.length === 0;
}

export interface ProductCurrencies {
  product_id: string;
  organization_id: string;
  currencies: string[];
}

/** Remembers in which currencies an active product is priced. */
export async function saveProductCurrencies(tx: Tx, product: ProductCurrencies): Promise<void> {
  await tx.query(
    `insert into product_currencies (product_id, organization_id, currencies) values ($1, $2, $3)
     on conflict (product_id) do update set currencies = excluded.currencies`,
    [product.product_id, product.organization_id, product.currencies],
  );
}

export async function forgetProduct(tx: Tx, productId: string): Promise<void> {
  await tx.query('delete from product_currencies where product_id = $1', [productId]);
}
