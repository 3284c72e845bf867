import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Those that were canceled in some span are few among all that began lately, or long ago. */
export class OrderCanceledSubscriptions1764000300000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `create index subscriptions_canceled on subscriptions (organization_id, started_at nulls first, id)
       where canceled_at is not null`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop index subscriptions_canceled');
  }
}
