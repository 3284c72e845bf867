import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions that are open already show their prices anew before they can be confirmed. */
export class RememberShownPrices1764000200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query("alter table checkouts add column price_ids uuid[] not null default '{}'");
    await runner.query('alter table checkouts alter column price_ids drop default');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table checkouts drop column price_ids');
  }
}
