import type { MigrationInterface, QueryRunner } from 'typeorm';

/** `after_id` is how far the events have been looked through, in the order of storing. */
export class NoteFirstEvents1763953200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table first_user_events (
        customer_id uuid primary key,
        organization_id uuid not null,
        timestamp timestamptz not null
      );
      create table first_event_search (after_id uuid not null);
      insert into first_event_search values ('00000000-0000-0000-0000-000000000000')`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table first_user_events, first_event_search');
  }
}
