import type { MigrationInterface, QueryRunner } from 'typeorm';

const EMAILS = `
  create table emails (
    id uuid primary key,
    created_at timestamptz not null,
    organization_id uuid,
    recipient text,
    recipient_hash text not null,
    template text not null,
    data jsonb,
    status text not null,
    failures integer not null,
    error text,
    due_at timestamptz,
    claim_id uuid,
    sent_at timestamptz
  );
  create index emails_due on emails (due_at) where due_at is not null;
  create index emails_claim on emails (claim_id) where claim_id is not null;
  create index emails_recipient on emails (recipient_hash, organization_id);
  create index emails_created_at on emails (created_at);
`;

/** Hashes of the addresses a customer and its members ever had: enough to find their mails, not to write any. */
const FORGOTTEN_CUSTOMERS = `
  create table customer_addresses (
    customer_id uuid not null,
    address_hash text not null,
    primary key (customer_id, address_hash)
  );
  create table forgotten_customers (
    customer_id uuid primary key,
    organization_id uuid not null,
    forgotten_at timestamptz not null,
    sweep_at timestamptz not null
  );
  create index forgotten_customers_sweep_at on forgotten_customers (sweep_at);
`;

export class CreateEmails1764000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(EMAILS);
    await runner.query(FORGOTTEN_CUSTOMERS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table forgotten_customers, customer_addresses, emails');
  }
}
