import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What names a person who has no customer record yet is found by the hash of the address. */
export class FindBodiesByAddress1764000000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_bodies add column address_hash text');
    await runner.query(`
      create index webhook_bodies_address_hash on webhook_bodies (organization_id, address_hash)
        where address_hash is not null`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('alter table webhook_bodies drop column address_hash');
  }
}
