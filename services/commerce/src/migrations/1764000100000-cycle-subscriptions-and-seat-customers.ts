import type { MigrationInterface, QueryRunner } from 'typeorm';
import { COLLECTIONS_TABLE } from '../collections/store.ts';
import { BILLED_PERIODS_TABLE } from '../subscriptions/store.ts';

/** Lists put nulls first in ascending order and last in descending order; the indexes read the same way. */
const SUBSCRIPTION_INDEXES = `
  create index subscriptions_started_at on subscriptions (organization_id, started_at nulls first, id);
  create index subscriptions_status on subscriptions (organization_id, status nulls first, id);
  create index subscriptions_period_end on subscriptions (organization_id, current_period_end nulls first, id);
  create index subscriptions_ended_at on subscriptions (organization_id, ended_at nulls first, id);
  create index subscriptions_ends_at on subscriptions (organization_id, ends_at nulls first, id);
  create index subscriptions_amount on subscriptions (organization_id, amount nulls first, id);
  create index subscriptions_discount on subscriptions (organization_id, discount_id nulls first, id);
  create index subscriptions_product on subscriptions (organization_id, product_id, started_at nulls first, id);
  create index subscriptions_canceled_at on subscriptions (organization_id, canceled_at);
  create index subscriptions_reason on subscriptions (organization_id, customer_cancellation_reason)
    where customer_cancellation_reason is not null;
  create index subscriptions_leaving
    on subscriptions (organization_id, cancel_at_period_end, started_at nulls first, id);
  create index subscriptions_active on subscriptions (organization_id, customer_id)
    where status in ('active', 'trialing');
  create index subscriptions_metadata on subscriptions using gin (metadata jsonb_path_ops);
`;

const CUSTOMER_SEATS = `
  create table customer_seats (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null,
    product_id uuid not null,
    subscription_id uuid references subscriptions,
    order_id uuid references orders,
    buyer_id uuid not null references customers,
    customer_id uuid references customers,
    member_id uuid references members,
    email text,
    status text not null,
    invitation_token_hash text,
    invitation_token_expires_at timestamptz,
    claimed_at timestamptz,
    revoked_at timestamptz,
    seat_metadata jsonb,
    check ((subscription_id is null) <> (order_id is null))
  );
  create index customer_seats_subscription on customer_seats (subscription_id, created_at, id);
  create index customer_seats_order on customer_seats (order_id, created_at, id);
  create index customer_seats_buyer on customer_seats (buyer_id) where status <> 'revoked';
  create index customer_seats_member on customer_seats (member_id) where status <> 'revoked';
  create index customer_seats_claimed on customer_seats (customer_id, member_id, subscription_id)
    where status = 'claimed';
  create unique index customer_seats_token on customer_seats (invitation_token_hash);
  -- One seat each: what the row lock ensures, the database refuses to break.
  create unique index customer_seats_occupant
    on customer_seats (coalesce(subscription_id, order_id), customer_id, member_id) nulls not distinct
    where status <> 'revoked';
`;

export class CycleSubscriptionsAndSeatCustomers1764000100000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [BILLED_PERIODS_TABLE, COLLECTIONS_TABLE, SUBSCRIPTION_INDEXES, CUSTOMER_SEATS]) {
      await runner.query(sql);
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table customer_seats; drop table collections; drop table billed_periods');
    await runner.query('alter table subscriptions drop column cycle_not_before');
  }
}
