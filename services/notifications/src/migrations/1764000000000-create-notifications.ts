import { IDEMPOTENCY_TABLE } from '@tributary/runtime/http/idempotency.ts';
import { MESSAGING_TABLES } from '@tributary/runtime/messaging/tables.ts';
import { replicaTable } from '@tributary/runtime/replica/replica.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Lists are ordered `created_at desc nulls last, id desc`; an index serves that order only if it is declared so. */
const NEWEST_FIRST = 'created_at desc nulls last, id desc';

const WEBHOOK_ENDPOINTS = `
  create table webhook_endpoints (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    organization_id uuid not null,
    url text not null,
    name text,
    format text not null,
    events text[] not null,
    enabled boolean not null,
    sealed_secret text not null,
    consecutive_failures integer not null
  );
  create index webhook_endpoints_newest on webhook_endpoints (organization_id, ${NEWEST_FIRST})
    where deleted_at is null;
`;

/** A body is stored once for each message and format, whatever the number of endpoints it goes to. */
const WEBHOOK_EVENTS = `
  create extension if not exists pg_trgm;
  create table webhook_bodies (
    message_id uuid not null,
    format text not null,
    organization_id uuid not null,
    customer_id uuid,
    occurred_at timestamptz not null,
    body text not null,
    primary key (message_id, format)
  );
  create index webhook_bodies_occurred_at on webhook_bodies (occurred_at);
  create index webhook_bodies_newest on webhook_bodies (organization_id, occurred_at desc);
  create index webhook_bodies_customer_id on webhook_bodies (customer_id) where customer_id is not null;
  create index webhook_bodies_words on webhook_bodies using gin (body gin_trgm_ops);

  create table webhook_events (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    position bigint generated always as identity,
    organization_id uuid not null,
    endpoint_id uuid not null references webhook_endpoints (id),
    message_id uuid not null,
    format text not null,
    type text not null,
    succeeded boolean,
    skipped boolean not null,
    last_http_code integer,
    failures integer not null,
    due_at timestamptz,
    claim_id uuid,
    unique (message_id, endpoint_id)
  );
  create index webhook_events_due on webhook_events (due_at, position) where due_at is not null;
  create index webhook_events_pending on webhook_events (endpoint_id, position) where due_at is not null;
`;

const WEBHOOK_DELIVERIES = `
  create table webhook_deliveries (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    endpoint_id uuid not null references webhook_endpoints (id),
    event_id uuid not null references webhook_events (id),
    type text not null,
    succeeded boolean not null,
    http_code integer,
    response text
  );
  create index webhook_deliveries_newest on webhook_deliveries (organization_id, ${NEWEST_FIRST});
  create index webhook_deliveries_endpoint on webhook_deliveries (endpoint_id, ${NEWEST_FIRST});
  create index webhook_deliveries_event on webhook_deliveries (event_id);
  create index webhook_deliveries_type on webhook_deliveries (organization_id, type, ${NEWEST_FIRST});
  create index webhook_deliveries_succeeded on webhook_deliveries (organization_id, succeeded, ${NEWEST_FIRST});
  create index webhook_deliveries_code on webhook_deliveries (organization_id, (http_code / 100), ${NEWEST_FIRST})
    include (http_code);
`;

export class CreateNotifications1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(MESSAGING_TABLES);
    await runner.query(IDEMPOTENCY_TABLE);
    await runner.query(replicaTable('organizations_replica'));
    await runner.query(WEBHOOK_ENDPOINTS);
    await runner.query(WEBHOOK_EVENTS);
    await runner.query(WEBHOOK_DELIVERIES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      drop table webhook_deliveries, webhook_events, webhook_bodies, webhook_endpoints, organizations_replica,
        idempotency_keys, parked_messages, consumed_events, outbox`);
  }
}
