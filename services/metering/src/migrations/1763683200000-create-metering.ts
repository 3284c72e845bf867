import { IDEMPOTENCY_TABLE } from '@tributary/runtime/http/idempotency.ts';
import { MESSAGING_TABLES } from '@tributary/runtime/messaging/tables.ts';
import { replicaTable } from '@tributary/runtime/replica/replica.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { copyTables } from '../replicas.ts';

/**
 * Events lie in partitions by id, and ids begin with the time of their making: a partition holds what was stored in one
 * month, and an old one can be dropped. What must be unique across partitions (`external_id`) has a table of its own.
 */
const EVENTS = `
  create table events (
    id uuid primary key,
    organization_id uuid not null,
    customer_id uuid,
    member_id uuid,
    parent_id uuid,
    timestamp timestamptz not null,
    source text not null,
    name text not null,
    external_customer_id text,
    external_member_id text,
    metadata jsonb not null
  ) partition by range (id);
  create table events_default partition of events default;
  create index events_by_time on events (organization_id, timestamp);
  create index events_by_customer on events (organization_id, customer_id, timestamp) where customer_id is not null;
  create index events_by_name on events (organization_id, name, timestamp);
  create index events_without_customer on events (organization_id, external_customer_id, timestamp)
    where customer_id is null and external_customer_id is not null;
  create index events_of_system on events (organization_id, timestamp) where source = 'system';
  create index events_by_parent on events (parent_id, timestamp) where parent_id is not null;

  create table event_external_ids (
    organization_id uuid not null,
    external_id text not null,
    event_id uuid not null,
    primary key (organization_id, external_id)
  );

  create table pending_parents (
    child_id uuid primary key,
    organization_id uuid not null,
    parent_external_id text not null,
    created_at timestamptz not null
  );
  create index pending_parents_by_parent on pending_parents (organization_id, parent_external_id);
  create index pending_parents_by_age on pending_parents (created_at);
`;

/** Counts per event name are kept in 16 rows each, so that writers seldom wait for one another. */
const EVENT_TYPES = `
  create table event_types (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    label text not null,
    label_property_selector text,
    created_at timestamptz not null,
    modified_at timestamptz,
    unique (organization_id, name)
  );
  create table event_tallies (
    organization_id uuid not null,
    source text not null,
    name text not null,
    shard smallint not null,
    occurrences bigint not null,
    first_seen timestamptz not null,
    last_seen timestamptz not null,
    primary key (organization_id, source, name, shard)
  ) with (fillfactor = 60);
`;

/**
 * Events with ids greater than `live_after` are counted when they are ingested; of the others, those up to the backfill's
 * place in (timestamp, id) have been counted and the rest waits for it.
 */
const METERS = `
  create table metered_organizations (
    organization_id uuid primary key,
    meters_version bigint not null,
    ids_after_ms bigint not null
  );
  create table meters (
    id uuid primary key,
    organization_id uuid not null,
    name text not null,
    unit text not null,
    custom_label text,
    custom_multiplier integer,
    filter jsonb not null,
    aggregation jsonb not null,
    metadata jsonb not null,
    archived_at timestamptz,
    billed_at timestamptz,
    live_after uuid not null,
    is_backfilled boolean not null,
    backfill_timestamp timestamptz,
    backfill_id uuid,
    is_clearing boolean not null default false,
    gaps jsonb not null default '[]',
    created_at timestamptz not null,
    modified_at timestamptz
  );
  create index meters_by_name on meters (organization_id, name nulls first, id);
  create index meters_by_creation on meters (organization_id, created_at nulls first, id);
  create index meters_in_use on meters (organization_id, name nulls first, id) where archived_at is null;
  create index meters_archived on meters (organization_id, name nulls first, id) where archived_at is not null;
  create index meters_query on meters using gin (name gin_trgm_ops);
  create index meters_metadata on meters using gin (metadata jsonb_path_ops);
  create index meters_to_count on meters (id) where is_clearing or not is_backfilled;
`;

/**
 * The totals of the current period lie in the customer meter's own row, those of earlier periods in `usage_periods`,
 * and the values that `unique` has seen in `usage_values`, under the start of their period. What a batch of events
 * changes in a customer meter is in none of its indexes, so that the row is updated in place. Lists that are sorted by
 * it go by `customer_meter_ranks`, which follows the rows noted in `customer_meter_changes`.
 */
const USAGE = `
  create table customer_meters (
    id uuid primary key,
    organization_id uuid not null,
    meter_id uuid not null,
    customer_id uuid not null,
    is_used boolean not null,
    reset_at timestamptz,
    first_event_at timestamptz,
    last_event_at timestamptz,
    measured_count bigint not null default 0,
    measured_sum numeric not null default 0,
    measured_max numeric,
    measured_min numeric,
    distinct_count bigint not null default 0,
    credited_units bigint not null default 0,
    created_at timestamptz not null,
    modified_at timestamptz,
    unique (organization_id, meter_id, customer_id) include (is_used)
  ) with (fillfactor = 50);
  create index customer_meters_by_customer on customer_meters (organization_id, customer_id, meter_id);
  create index customer_meters_by_creation on customer_meters (organization_id, created_at, id);

  create table customer_meter_ranks (
    id uuid primary key,
    organization_id uuid not null,
    modified_at timestamptz,
    consumed_units numeric not null,
    credited_units bigint not null,
    balance numeric not null
  );
  create index customer_meter_ranks_by_change
    on customer_meter_ranks (organization_id, modified_at desc nulls last, id desc);
  create index customer_meter_ranks_by_consumption on customer_meter_ranks (organization_id, consumed_units, id);
  create index customer_meter_ranks_by_credit on customer_meter_ranks (organization_id, credited_units, id);
  create index customer_meter_ranks_by_balance on customer_meter_ranks (organization_id, balance, id);

  create table customer_meter_changes (
    organization_id uuid not null,
    id uuid not null,
    primary key (organization_id, id)
  );

  create table usage_periods (
    meter_id uuid not null,
    customer_id uuid not null,
    ends_at timestamptz not null,
    starts_at timestamptz,
    first_event_at timestamptz,
    last_event_at timestamptz,
    measured_count bigint not null,
    measured_sum numeric not null,
    measured_max numeric,
    measured_min numeric,
    distinct_count bigint not null,
    primary key (meter_id, customer_id, ends_at)
  );

  create table usage_values (
    meter_id uuid not null,
    customer_id uuid not null,
    period_start timestamptz not null,
    value_hash uuid not null,
    primary key (meter_id, customer_id, period_start, value_hash)
  );

  create table meter_credits (
    position bigint generated always as identity primary key,
    event_id uuid not null unique,
    organization_id uuid not null,
    customer_id uuid not null,
    meter_id uuid not null,
    units bigint not null,
    rollover boolean not null,
    benefit_grant_id uuid,
    timestamp timestamptz not null
  );
  create index meter_credits_by_meter on meter_credits (meter_id, customer_id, timestamp, position);
  create index meter_credits_by_grant on meter_credits (benefit_grant_id, position) where benefit_grant_id is not null;
`;

/** Which customer an external id means now, and which it meant before. */
const CUSTOMERS = `
  create table customer_external_ids (
    organization_id uuid not null,
    external_id text not null,
    customer_id uuid not null,
    is_current boolean not null,
    primary key (organization_id, external_id, customer_id)
  );
  create unique index customer_external_ids_current on customer_external_ids (organization_id, external_id)
    include (customer_id) where is_current;
  create index customer_external_ids_by_customer on customer_external_ids (customer_id);
  create table customer_joins (
    organization_id uuid not null,
    external_id text not null,
    customer_id uuid not null,
    primary key (organization_id, external_id)
  );
`;

const REPLICAS = `
  ${Object.values(copyTables).map(replicaTable).join('\n')}
  create index customers_replica_by_name
    on customers_replica (organization_id, (value ->> 'name') nulls first, id);
  create index products_replica_by_meter on products_replica using gin ((value -> 'prices') jsonb_path_ops);
  create index benefits_replica_by_meter on benefits_replica ((value #>> '{properties,meter_id}'))
    where value ->> 'type' = 'meter_credit';
`;

export class CreateMetering1763683200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    await runner.query(MESSAGING_TABLES + IDEMPOTENCY_TABLE);
    await runner.query(EVENTS + EVENT_TYPES + METERS + USAGE + CUSTOMERS + REPLICAS);
  }

  async down(): Promise<void> {
    throw new Error('The first migration has nothing to go back to.');
  }
}
