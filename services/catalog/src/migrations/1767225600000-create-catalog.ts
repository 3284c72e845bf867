import { IDEMPOTENCY_TABLE } from '@tributary/runtime/http/idempotency.ts';
import { MESSAGING_TABLES } from '@tributary/runtime/messaging/tables.ts';
import { replicaTable } from '@tributary/runtime/replica/replica.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists put nulls first when they ascend and last when they descend; their indexes are read in both directions. */
const CUSTOM_FIELDS = `
  create table custom_fields (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    metadata jsonb not null,
    type text not null,
    slug text not null,
    name text not null,
    properties jsonb not null
  );
  create unique index custom_fields_slug on custom_fields (organization_id, slug) where deleted_at is null;
  create index custom_fields_by_created_at on custom_fields (organization_id, created_at nulls first, id)
    where deleted_at is null;
  create index custom_fields_by_slug on custom_fields (organization_id, slug nulls first, id)
    where deleted_at is null;
  create index custom_fields_by_name on custom_fields (organization_id, name nulls first, id)
    where deleted_at is null;
  create index custom_fields_by_type on custom_fields (organization_id, type nulls first, id)
    where deleted_at is null;
  create index custom_fields_query on custom_fields using gin (name gin_trgm_ops, slug gin_trgm_ops);
`;

const PRODUCTS = `
  create table products (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    name text not null,
    description text,
    visibility text not null,
    recurring_interval text,
    recurring_interval_count integer,
    trial_interval text,
    trial_interval_count integer,
    meter_interval text,
    meter_interval_count integer,
    is_archived boolean not null,
    metadata jsonb not null,
    first_amount_type text not null,
    first_amount bigint
  );
  create index products_by_created_at on products (organization_id, created_at nulls first, id);
  create index products_by_name on products (organization_id, name nulls first, id);
  create index products_by_amount_type on products (organization_id, first_amount_type nulls first, id);
  create index products_by_amount on products (organization_id, first_amount nulls first, id);
  create index products_archived on products (organization_id, is_archived, created_at nulls first, id);
  create index products_visibility on products (organization_id, visibility, created_at nulls first, id);
  create index products_recurring on products (organization_id, created_at nulls first, id)
    where recurring_interval is not null;
  create index products_one_time on products (organization_id, created_at nulls first, id)
    where recurring_interval is null;
  create index products_name_search on products using gin (name gin_trgm_ops);
  create index products_metadata on products using gin (metadata jsonb_path_ops);
  create table prices (
    id uuid primary key,
    product_id uuid not null references products (id),
    created_at timestamptz not null,
    modified_at timestamptz,
    position integer not null,
    source text not null,
    amount_type text not null,
    price_currency text not null,
    tax_behavior text,
    is_archived boolean not null,
    legacy_recurring_interval text,
    price_amount bigint,
    minimum_amount bigint,
    maximum_amount bigint,
    preset_amount bigint,
    seat_tiers jsonb,
    meter_id uuid,
    unit_amount numeric,
    cap_amount bigint
  );
  create index prices_product on prices (product_id, position) where not is_archived;
  create index prices_meter on prices (meter_id, product_id) where meter_id is not null;
  create table product_benefits (
    product_id uuid not null references products (id),
    benefit_id uuid not null,
    position integer not null,
    primary key (product_id, benefit_id)
  );
  create index product_benefits_benefit on product_benefits (benefit_id, product_id);
  create table product_medias (
    product_id uuid not null references products (id),
    file_id uuid not null,
    position integer not null,
    primary key (product_id, file_id)
  );
  create index product_medias_file on product_medias (file_id, product_id);
  create table product_custom_fields (
    product_id uuid not null references products (id),
    custom_field_id uuid not null,
    position integer not null,
    required boolean not null,
    primary key (product_id, custom_field_id)
  );
  create index product_custom_fields_field on product_custom_fields (custom_field_id, product_id);
`;

const BENEFITS = `
  create table benefits (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    type text not null,
    description text not null,
    selectable boolean not null,
    deletable boolean not null,
    visibility text not null,
    metadata jsonb not null,
    properties jsonb not null
  );
  create index benefits_by_created_at on benefits (organization_id, created_at nulls first, id)
    where deleted_at is null;
  create index benefits_by_description on benefits (organization_id, description nulls first, id)
    where deleted_at is null;
  create index benefits_by_type on benefits (organization_id, type nulls first, id) where deleted_at is null;
  create index benefits_files on benefits using gin ((properties -> 'files')) where type = 'downloadables';
  create index benefits_description_search on benefits using gin (description gin_trgm_ops);
  create index benefits_metadata on benefits using gin (metadata jsonb_path_ops);
`;

const GRANTS = `
  create table entitlements (
    id uuid primary key,
    kind text not null,
    organization_id uuid not null,
    customer_id uuid not null,
    product_id uuid not null,
    checkout_id uuid,
    is_active boolean not null,
    has_seats boolean not null,
    revoke_at timestamptz,
    created_at timestamptz not null,
    modified_at timestamptz
  );
  create index entitlements_product on entitlements (product_id, id);
  create index entitlements_customer on entitlements (customer_id, id);
  create index entitlements_checkout on entitlements (checkout_id) where checkout_id is not null;
  create index entitlements_revoke_at on entitlements (revoke_at) where revoke_at is not null;
  create table entitlement_seats (
    id uuid primary key,
    entitlement_id uuid not null references entitlements (id),
    customer_id uuid not null,
    member_id uuid,
    is_claimed boolean not null
  );
  create index entitlement_seats_entitlement on entitlement_seats (entitlement_id, id);
  create table benefit_grants (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    entitlement_id uuid not null references entitlements (id),
    subscription_id uuid,
    order_id uuid,
    customer_id uuid not null,
    member_id uuid,
    benefit_id uuid not null references benefits (id),
    granted_at timestamptz,
    revoked_at timestamptz,
    withdrawn_at timestamptz,
    properties jsonb not null,
    error jsonb,
    check (num_nonnulls(subscription_id, order_id) = 1),
    check (num_nonnulls(granted_at, revoked_at) <= 1)
  );
  create unique index benefit_grants_once on benefit_grants (entitlement_id, benefit_id, customer_id, member_id)
    nulls not distinct;
  create index benefit_grants_entitlement on benefit_grants (entitlement_id, id);
  create index benefit_grants_by_created_at on benefit_grants (organization_id, created_at nulls first, id);
  create index benefit_grants_by_granted_at on benefit_grants (organization_id, granted_at nulls first, id);
  create index benefit_grants_by_revoked_at on benefit_grants (organization_id, revoked_at nulls first, id);
  create index benefit_grants_benefit on benefit_grants (benefit_id, created_at nulls first, id);
  create index benefit_grants_benefit_sweep on benefit_grants (benefit_id, id) where granted_at is not null;
  create index benefit_grants_customer on benefit_grants (customer_id, created_at nulls first, id);
  create index benefit_grants_member on benefit_grants (member_id, created_at nulls first, id)
    where member_id is not null;
  create table sweeps (
    id uuid primary key,
    kind text not null,
    target_id uuid not null,
    after_id uuid,
    created_at timestamptz not null,
    due_at timestamptz not null
  );
  create index sweeps_due on sweeps (due_at, id);
`;

const LICENSE_KEYS = `
  create table license_keys (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    customer_id uuid not null,
    member_id uuid,
    benefit_id uuid not null references benefits (id),
    benefit_grant_id uuid not null references benefit_grants (id),
    key text not null,
    status text not null,
    limit_activations integer,
    usage bigint not null,
    limit_usage integer,
    validations bigint not null,
    last_validated_at timestamptz,
    expires_at timestamptz
  );
  create unique index license_keys_key on license_keys (organization_id, key);
  create unique index license_keys_grant on license_keys (benefit_grant_id);
  create index license_keys_by_created_at on license_keys (organization_id, created_at nulls first, id);
  create index license_keys_by_status on license_keys (organization_id, status, created_at nulls first, id);
  create index license_keys_benefit on license_keys (benefit_id, created_at nulls first, id);
  create index license_keys_customer on license_keys (customer_id, created_at nulls first, id);
  create table license_key_activations (
    id uuid primary key,
    license_key_id uuid not null references license_keys (id),
    created_at timestamptz not null,
    modified_at timestamptz,
    label text not null,
    conditions jsonb not null,
    meta jsonb not null
  );
  create index license_key_activations_key on license_key_activations (license_key_id, created_at, id);
`;

const FILES = `
  create table files (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    erased_at timestamptz,
    service text not null,
    name text not null,
    path text not null,
    mime_type text not null,
    size bigint not null,
    version text,
    upload_id text,
    parts jsonb not null,
    is_uploaded boolean not null,
    storage_version text,
    checksum_etag text,
    checksum_sha256_base64 text,
    checksum_sha256_hex text,
    last_modified_at timestamptz,
    flagged_malicious_at timestamptz
  );
  create index files_by_created_at on files (organization_id, created_at nulls first, id)
    where is_uploaded and deleted_at is null and service <> 'support_case_attachment';
  create index files_abandoned on files (created_at) where not is_uploaded and erased_at is null;
  create index files_deleted on files (deleted_at) where deleted_at is not null and erased_at is null;
  create table downloadables (
    id uuid primary key,
    organization_id uuid not null,
    created_at timestamptz not null,
    customer_id uuid not null,
    member_id uuid,
    benefit_id uuid not null references benefits (id),
    file_id uuid not null references files (id),
    downloads integer not null,
    last_downloaded_at timestamptz
  );
  create unique index downloadables_once on downloadables (customer_id, member_id, benefit_id, file_id)
    nulls not distinct;
  create index downloadables_benefit on downloadables (benefit_id, file_id);
  create index downloadables_by_created_at on downloadables (customer_id, created_at nulls first, id);
`;

const COPIES = `
  ${replicaTable('organizations_replica')}
  create index organizations_replica_slug on organizations_replica ((value ->> 'slug'));
  ${replicaTable('customers_replica')}
  create index customers_replica_external_id on customers_replica ((value ->> 'external_id'), organization_id);
  ${replicaTable('members_replica')}
  ${replicaTable('meters_replica')}
`;

export class CreateCatalog1767225600000 implements MigrationInterface {
  readonly name = 'CreateCatalog1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    for (const tables of [
      MESSAGING_TABLES,
      IDEMPOTENCY_TABLE,
      CUSTOM_FIELDS,
      PRODUCTS,
      BENEFITS,
      GRANTS,
      LICENSE_KEYS,
      FILES,
      COPIES,
    ]) {
      await runner.query(tables);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop schema public cascade');
    await runner.query('create schema public');
  }
}
