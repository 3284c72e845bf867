import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which a statement of an ingest undoes itself: an error of its own that says so. */
export class RefuseIngest1764100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      create function refuse_ingest() returns boolean language plpgsql as $$
      begin
        raise exception using errcode = 'TB001', message = 'this ingest takes more than one step';
      end $$`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop function refuse_ingest');
  }
}
