import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { newId } from '@tributary/proto/id.ts';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { NameRecordsInAnswers1768000000000 } from '../forget-record.ts';
import { claimKey, IDEMPOTENCY_TABLE } from '../http/idempotency.ts';
import { Reply } from '../http/reply.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { eventually } from '../testing/eventually.ts';
import { type Life, startLife } from './life.ts';

class CreateKeys1700000000000 implements MigrationInterface {
  name = 'CreateKeys1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(IDEMPOTENCY_TABLE);
  }
  async down(): Promise<void> {}
}

let database: TestDatabase;
let life: Life;
beforeAll(async () => {
  database = await createTestDatabase('life', {
    entities: [],
    migrations: [CreateKeys1700000000000, NameRecordsInAnswers1768000000000],
  });
  life = await startLife(database.url, 'test', pino({ level: 'silent' }));
});
afterAll(async () => {
  await life?.stop();
  await database?.drop();
});

const claim = (key: string) => claimKey(database.db, 'caller', key, 'POST /v1/orders/', life.number);
const refusal = { type: { status: 409 } };

/** A process that claims a key and does not get any further. */
async function claimant(key: string) {
  const module = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const program = `
    import { pino } from 'pino';
    import { openDatabase } from ${module('data-source.ts')};
    import { startLife } from ${module('life.ts')};
    import { claimKey } from ${module('../http/idempotency.ts')};
    const url = ${JSON.stringify(database.url)};
    const db = await openDatabase({ url, entities: [], migrations: [] });
    const { number } = await startLife(url, 'twin', pino({ level: 'silent' }));
    await claimKey(db, 'caller', '${key}', 'POST /v1/orders/', number);
    process.stdout.write('claimed');
    setInterval(() => undefined, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

test('a request that another process is at work on is not run twice, until that process is killed', async () => {
  const key = newId();
  const other = await claimant(key);
  await expect(claim(key)).rejects.toMatchObject(refusal);
  other.kill('SIGKILL');
  await eventually(async () => expect(await claim(key)).not.toBeInstanceOf(Reply), 2_000);
  await expect(claim(key)).rejects.toMatchObject(refusal);
});

test('a process whose connection was cut off is alive again as soon as it is back', async () => {
  const key = newId();
  await claim(key);
  const isHeld = async () => {
    const [{ held }] = await database.db.query(
      `select count(*)::integer as held from pg_locks where locktype = 'advisory' and objid = $1`,
      [life.number],
    );
    expect(held).toBe(1);
  };
  await isHeld();
  const lives = await database.db.query(
    `select pid, pg_terminate_backend(pid) from pg_stat_activity where application_name = 'test-life' and datname = current_database()`,
  );
  expect(lives).toHaveLength(1);
  await eventually(async () => {
    const [{ pid }] = await database.db.query(
      `select pid from pg_locks where locktype = 'advisory' and objid = $1`,
      [life.number],
    );
    expect(pid).not.toBe(lives[0].pid);
  });
  await isHeld();
  await expect(claim(key)).rejects.toMatchObject(refusal);
});
