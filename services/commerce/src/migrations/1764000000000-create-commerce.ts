import { IDEMPOTENCY_TABLE } from '@tributary/runtime/http/idempotency.ts';
import { MESSAGING_TABLES } from '@tributary/runtime/messaging/tables.ts';
import { replicaTable } from '@tributary/runtime/replica/replica.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { STATE_CHANGES_TABLE } from '../customers/state-changes.ts';
import { SANDBOX_TABLES } from '../payments/sandbox-processor.ts';
import { TRIAL_REDEMPTIONS_TABLE } from '../subscriptions/trial-redemptions.ts';

const REPLICAS = ['organizations', 'products', 'meters', 'benefit_grants', 'customer_meters']
  .map((resource) => replicaTable(`${resource}_replica`))
  .join('');

const REPLICA_INDEXES = `
  create index products_replica_name on products_replica (organization_id, (value ->> 'name') nulls first, id);
  create index products_replica_prices on products_replica using gin ((value -> 'prices') jsonb_path_ops);
  create index benefit_grants_replica_customer on benefit_grants_replica ((value ->> 'customer_id'));
  create index customer_meters_replica_customer
    on customer_meters_replica ((value ->> 'customer_id'), (value ->> 'meter_id'));
`;

/** Lists put nulls first in ascending order and last in descending order; their indexes are read both ways. */
const CUSTOMERS = `
  create table customers (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    organization_id uuid not null,
    metadata jsonb not null,
    external_id text,
    email text,
    email_verified boolean not null,
    type text not null,
    name text,
    billing_name text,
    billing_address jsonb,
    tax_id jsonb,
    locale text,
    default_payment_method_id uuid,
    first_user_event_at timestamptz,
    short_code text not null,
    invoice_count integer not null,
    receipt_count integer not null
  );
  create unique index customers_email on customers (organization_id, lower(email)) where deleted_at is null;
  create unique index customers_external_id on customers (organization_id, external_id) where deleted_at is null;
  create index customers_live on customers (organization_id, id) where deleted_at is null;
  create index customers_created_at on customers (organization_id, created_at nulls first, id);
  create index customers_by_email on customers (organization_id, email nulls first, id);
  create index customers_name on customers (organization_id, name nulls first, id);
  create index customers_query on customers
    using gin (email gin_trgm_ops, name gin_trgm_ops, external_id gin_trgm_ops);
  create index customers_metadata on customers using gin (metadata jsonb_path_ops);
  create table customer_balances (
    customer_id uuid not null references customers,
    currency text not null,
    organization_id uuid not null,
    amount bigint not null,
    primary key (customer_id, currency)
  );
`;

const MEMBERS = `
  create table members (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    organization_id uuid not null,
    customer_id uuid not null references customers,
    email text not null,
    name text,
    external_id text,
    role text not null
  );
  create unique index members_email on members (customer_id, lower(email)) where deleted_at is null;
  create unique index members_external_id on members (customer_id, external_id) where deleted_at is null;
  create unique index members_owner on members (customer_id) where role = 'owner' and deleted_at is null;
  create index members_created_at on members (organization_id, created_at nulls first, id) where deleted_at is null;
  create index members_role on members (organization_id, role, created_at nulls first, id)
    where deleted_at is null;
  create index members_customer_id on members (customer_id, created_at nulls first, id) where deleted_at is null;
`;

const PAYMENTS = `
  create table payment_methods (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    deleted_at timestamptz,
    organization_id uuid not null,
    customer_id uuid not null references customers,
    processor text not null,
    processor_id text not null,
    type text not null,
    method_metadata jsonb not null,
    fingerprint text not null
  );
  create unique index payment_methods_processor_id on payment_methods (customer_id, processor_id);
  create index payment_methods_customer_id on payment_methods (customer_id, created_at nulls first, id)
    where deleted_at is null;
  create table payments (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    customer_id uuid references customers,
    customer_email text,
    checkout_id uuid,
    order_id uuid,
    processor text not null,
    processor_id text not null unique,
    status text not null,
    amount bigint not null,
    currency text not null,
    method text not null,
    method_metadata jsonb not null,
    trigger text,
    decline_reason text,
    decline_message text
  );
  create index payments_created_at on payments (organization_id, created_at nulls first, id);
  create index payments_customer_id on payments (customer_id, created_at nulls first, id);
  create index payments_checkout_id on payments (checkout_id);
  create index payments_order_id on payments (order_id);
`;

const CHECKOUTS = `
  create table checkouts (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    status text not null,
    client_secret text not null unique,
    expires_at timestamptz not null,
    success_url text,
    return_url text,
    embed_origin text,
    product_ids uuid[] not null,
    product_id uuid not null,
    session_prices jsonb not null,
    currency text not null,
    custom_amount bigint,
    seats integer,
    min_seats integer,
    max_seats integer,
    amount bigint not null,
    discount_amount bigint not null,
    net_amount bigint not null,
    tax_amount bigint,
    tax_behavior text,
    total_amount bigint not null,
    allow_trial boolean not null,
    trial_interval text,
    trial_interval_count integer,
    trial_end timestamptz,
    discount_id uuid,
    allow_discount_codes boolean not null,
    require_billing_address boolean not null,
    subscription_id uuid,
    customer_id uuid references customers,
    external_customer_id text,
    is_business_customer boolean not null,
    customer_name text,
    customer_email text,
    customer_ip_address text,
    customer_billing_name text,
    customer_billing_address jsonb,
    customer_tax_id jsonb,
    customer_metadata jsonb not null,
    metadata jsonb not null,
    custom_field_data jsonb not null,
    locale text,
    payment_method_type text,
    payment_processor_metadata jsonb not null,
    confirmation_token text,
    confirmation_attempts integer not null,
    confirmation_request text,
    is_customer_unproven boolean not null,
    confirmed_at timestamptz,
    resume_at timestamptz
  );
  create index checkouts_created_at on checkouts (organization_id, created_at nulls first, id);
  create index checkouts_by_expiry on checkouts (organization_id, expires_at nulls first, id);
  create index checkouts_status on checkouts (organization_id, status nulls first, id);
  create index checkouts_product_id on checkouts (organization_id, product_id, created_at nulls first, id);
  create index checkouts_customer_id on checkouts (customer_id, created_at nulls first, id);
  create index checkouts_external_customer_id on checkouts (organization_id, external_customer_id, created_at nulls first, id);
  create index checkouts_query on checkouts using gin (customer_email gin_trgm_ops);
  create index checkouts_due on checkouts (expires_at) where status = 'open';
  create index checkouts_resume on checkouts (resume_at) where status = 'confirmed';
`;

const SUBSCRIPTIONS = `
  create table subscriptions (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    customer_id uuid not null references customers,
    product_id uuid not null,
    discount_id uuid,
    checkout_id uuid,
    status text not null,
    amount bigint not null,
    currency text not null,
    recurring_interval text not null,
    recurring_interval_count integer not null,
    anchor_day integer not null,
    current_period_start timestamptz not null,
    current_period_end timestamptz not null,
    current_meter_period_start timestamptz,
    current_meter_period_end timestamptz,
    trial_start timestamptz,
    trial_end timestamptz,
    cancel_at_period_end boolean not null,
    canceled_at timestamptz,
    started_at timestamptz,
    ends_at timestamptz,
    ended_at timestamptz,
    past_due_at timestamptz,
    pause_at_period_end boolean not null,
    paused_at timestamptz,
    resumes_at timestamptz,
    seats integer,
    customer_cancellation_reason text,
    customer_cancellation_comment text,
    metadata jsonb not null,
    custom_field_data jsonb not null,
    prices jsonb not null,
    pending_update jsonb
  );
  create index subscriptions_customer_id on subscriptions (customer_id, started_at nulls first, id);
  create index subscriptions_checkout_id on subscriptions (checkout_id);
  create table subscription_meters (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    subscription_id uuid not null references subscriptions,
    meter_id uuid not null
  );
  create unique index subscription_meters_meter_id on subscription_meters (subscription_id, meter_id);
`;

const ORDERS = `
  create table orders (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    customer_id uuid not null references customers,
    status text not null,
    subtotal_amount bigint not null,
    discount_amount bigint not null,
    net_amount bigint not null,
    tax_amount bigint not null,
    total_amount bigint not null,
    applied_balance_amount bigint not null,
    due_amount bigint not null,
    refunded_amount bigint not null,
    refunded_tax_amount bigint not null,
    currency text not null,
    billing_reason text not null,
    billing_name text,
    billing_address jsonb,
    invoice_number text,
    is_invoice_generated boolean not null,
    receipt_number text,
    seats integer,
    product_id uuid,
    discount_id uuid,
    subscription_id uuid references subscriptions,
    checkout_id uuid references checkouts,
    next_payment_attempt_at timestamptz,
    metadata jsonb not null,
    custom_field_data jsonb not null,
    platform_fee_amount bigint not null,
    platform_fee_currency text,
    description text not null
  );
  -- A checkout ends in one order, whoever fulfils it.
  create unique index orders_checkout_id on orders (checkout_id);
  create unique index orders_invoice_number on orders (customer_id, invoice_number);
  create index orders_created_at on orders (organization_id, created_at nulls first, id);
  create index orders_status on orders (organization_id, status nulls first, id);
  create index orders_by_invoice_number on orders (organization_id, invoice_number nulls first, id);
  create index orders_net_amount on orders (organization_id, net_amount nulls first, id);
  create index orders_product_id on orders (product_id, created_at nulls first, id);
  create index orders_organization_product on orders (organization_id, product_id, created_at nulls first, id);
  create index orders_customer_id on orders (customer_id, created_at nulls first, id);
  create index orders_discount_id on orders (organization_id, discount_id nulls first, id);
  create index orders_subscription_id on orders (subscription_id, created_at nulls first, id);
  create index orders_by_subscription on orders (organization_id, subscription_id nulls first, id);
  create index orders_metadata on orders using gin (metadata jsonb_path_ops);
  create table order_items (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    order_id uuid not null references orders,
    position integer not null,
    label text not null,
    amount bigint not null,
    tax_amount bigint not null,
    proration boolean not null,
    product_price_id uuid
  );
  create unique index order_items_position on order_items (order_id, position);
`;

const LEDGER = `
  create table ledger_transactions (
    id uuid primary key,
    created_at timestamptz not null,
    organization_id uuid not null,
    customer_id uuid not null,
    order_id uuid,
    payment_id uuid
  );
  create index ledger_transactions_order_id on ledger_transactions (order_id);
  create index ledger_transactions_created_at on ledger_transactions (organization_id, created_at nulls first, id);
  create table ledger_entries (
    id bigint generated always as identity primary key,
    transaction_id uuid not null references ledger_transactions,
    account text not null,
    currency text not null,
    amount bigint not null check (amount <> 0)
  );
  create index ledger_entries_transaction_id on ledger_entries (transaction_id);
  create function refuse_unbalanced_ledger() returns trigger language plpgsql as $$
  begin
    if exists (
      select from ledger_entries where transaction_id = new.transaction_id
      group by currency having sum(amount) <> 0
    ) then
      raise exception 'ledger transaction % does not balance', new.transaction_id;
    end if;
    return null;
  end $$;
  create constraint trigger ledger_entries_balance after insert or update on ledger_entries
    deferrable initially deferred for each row execute function refuse_unbalanced_ledger();
`;

export class CreateCommerce1764000000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('create extension if not exists pg_trgm');
    for (const sql of [
      MESSAGING_TABLES,
      IDEMPOTENCY_TABLE,
      REPLICAS,
      REPLICA_INDEXES,
      SANDBOX_TABLES,
      CUSTOMERS,
      STATE_CHANGES_TABLE,
      MEMBERS,
      PAYMENTS,
      CHECKOUTS,
      SUBSCRIPTIONS,
      TRIAL_REDEMPTIONS_TABLE,
      ORDERS,
      LEDGER,
    ]) {
      await runner.query(sql);
    }
  }

  async down(): Promise<void> {
    throw new Error('the first migration is not undone; drop the database instead');
  }
}
