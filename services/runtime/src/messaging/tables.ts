/**
 * SQL of the outbox and the inbox; part of every service's first migration.
 * `position` orders a key's messages by commit, because a key is written under its aggregate's row lock.
 */
export const MESSAGING_TABLES = `
  create table outbox (
    position bigint generated always as identity primary key,
    id uuid not null,
    topic text not null,
    key text not null,
    type text not null,
    subject text,
    value jsonb,
    traceparent text,
    created_at timestamptz not null default now()
  );
  create table consumed_events (
    consumer text not null,
    event_id uuid not null,
    consumed_at timestamptz not null default now(),
    primary key (consumer, event_id)
  );
  create index consumed_events_consumed_at on consumed_events (consumed_at);
  create table parked_messages (
    consumer text not null,
    event_id uuid not null,
    topic text not null,
    message jsonb not null,
    error text not null,
    parked_at timestamptz not null default now(),
    primary key (consumer, event_id)
  );
`;

/** PostgreSQL channel on which a commit that wrote to the outbox wakes the relay. */
export const OUTBOX_CHANNEL = 'outbox';
