import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * How many events came in by day of storing, in 16 rows each so that writers seldom wait for one another. What was
 * stored before anybody kept count stands under the day `-infinity`, without repeats.
 */
export class CountReceipts1763942400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create table event_receipts (
        organization_id uuid not null,
        day date not null,
        shard smallint not null,
        received bigint not null,
        duplicates bigint not null,
        primary key (organization_id, day, shard)
      ) with (fillfactor = 60);
      create index event_receipts_by_day on event_receipts (day);
      insert into event_receipts (organization_id, day, shard, received, duplicates)
      select organization_id, '-infinity', 0, sum(occurrences), 0 from event_tallies
      where source = 'user' group by organization_id`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop table event_receipts');
  }
}
