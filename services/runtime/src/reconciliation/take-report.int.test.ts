import { newId } from '@tributary/proto/id.ts';
import express from 'express';
import { pino } from 'pino';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { listen, portOf } from '../http/server.ts';
import { inProcessTransport } from '../messaging/in-process.ts';
import { MESSAGING_TABLES } from '../messaging/tables.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import type { Books, Part } from './books.ts';
import { noneOf, sameSums } from './parts.ts';
import type { Report } from './report.ts';
import { reconciliation } from './routes.ts';
import { takeReport } from './take-report.ts';

class CreateAccounts1700000000000 implements MigrationInterface {
  name = 'CreateAccounts1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`${MESSAGING_TABLES}
      create table accounts (id uuid primary key, currency text not null, kept bigint not null, counted bigint not null)`);
  }
  async down(): Promise<void> {}
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('reconciliation', {
    entities: [],
    migrations: [CreateAccounts1700000000000],
  });
});
afterAll(() => database?.drop());
beforeEach(() => database.db.query('truncate outbox, parked_messages, accounts'));

const source = (parts: readonly Part[] = []) => ({
  service: 'books',
  db: database.db,
  transport: inProcessTransport(),
  topics: [],
  parts,
  log: pino({ level: 'silent' }),
});
const report = (parts?: readonly Part[], budgetMs = 5_000): Promise<Report> =>
  takeReport(source(parts), { before: new Date(Date.now() - 60_000), since: null, budgetMs });
const checkOf = ({ checks }: Report, name: string) => checks.find((check) => check.name === name);
const figureOf = ({ figures }: Report, name: string) => figures.find((figure) => figure.name === name)?.value;

const leaveInOutbox = (age: string) =>
  database.db.query(
    `insert into outbox (id, topic, key, type, value, created_at) values ($1, 't', 'k', 'x', '{}', now() - $2::interval)`,
    [newId(), age],
  );
const park = (consumer: string, type: string) =>
  database.db.query(
    `insert into parked_messages (consumer, event_id, topic, message, error) values ($1, $2, 't', $3, 'no')`,
    [consumer, newId(), JSON.stringify({ type })],
  );
const account = (kept: string, counted: string, currency = 'eur') =>
  database.db.query(
    'insert into accounts (id, currency, kept, counted) values (gen_random_uuid(), $3, $1, $2)',
    [kept, counted, currency],
  );

test('all is well where nothing waits', async () => {
  expect(await report()).toMatchObject({ service: 'books', ok: true });
});

test('a message may wait for a moment, not for minutes', async () => {
  await leaveInOutbox('2 seconds');
  const young = await report();
  expect([young.ok, figureOf(young, 'outbox: messages waiting')]).toEqual([true, '1']);
  await leaveInOutbox('3 minutes');
  const old = await report();
  expect(checkOf(old, 'outbox: messages overdue')).toMatchObject({ ok: false, difference: '1' });
});

test('messages set aside are a difference, named by consumer and kind; what is no message of ours is not', async () => {
  await park('books.follow-orders', 'order.paid');
  await park('books.follow-orders', 'order.paid');
  await park('books.unreadable', 'unreadable');
  const found = await report();
  expect(checkOf(found, 'inbox: messages parked')).toMatchObject({
    ok: false,
    found: '2',
    detail: '2 × books.follow-orders order.paid',
  });
  expect(figureOf(found, 'inbox: unreadable messages set aside')).toBe('1');
});

/** A part that finds nothing. */
const doing = (name: string, work: (books: Books) => Promise<unknown>): Part => ({
  name,
  async read(books) {
    await work(books);
    return {};
  },
});

const balanced = noneOf('accounts: out of balance', 'select id from accounts where kept <> counted');
const summed = sameSums(
  'accounts: sums',
  `select currency as name, sum(kept)::text as expected, sum(counted)::text as found from accounts group by currency`,
);

test('records that break a rule are counted and named, sums are told apart by group', async () => {
  await account('9007199254740993', '9007199254740993');
  await account('9007199254740993', '9007199254740990');
  await account('5', '5', 'usd');
  const [{ id }] = await database.db.query('select id from accounts where kept <> counted');
  const found = await report([balanced, summed]);
  expect(found.ok).toBe(false);
  expect(checkOf(found, 'accounts: out of balance')).toMatchObject({ found: '1', detail: id });
  expect(checkOf(found, 'accounts: sums, eur')).toMatchObject({
    expected: '18014398509481986',
    difference: '-3',
  });
  expect(checkOf(found, 'accounts: sums, usd')).toMatchObject({ ok: true });
});

test('a part that takes too long is unknown, and leaves time for the others', async () => {
  const slow = doing('slow', (books) => books.query('select pg_sleep(60)'));
  const found = await report([slow, balanced], 600);
  expect(checkOf(found, 'slow')).toMatchObject({ ok: false, found: 'unknown' });
  expect(checkOf(found, 'accounts: out of balance')).toMatchObject({ ok: true });
});

test('a part that fails is unknown; nothing can be written', async () => {
  const careless = doing('careless', (books) => books.query('delete from accounts'));
  await account('1', '1');
  const found = await report([careless, balanced]);
  expect(checkOf(found, 'careless')).toMatchObject({ ok: false, found: 'unknown' });
  expect(checkOf(found, 'accounts: out of balance')).toMatchObject({ ok: true });
  expect(await database.db.query('select 1 from accounts')).toHaveLength(1);
});

test('what is written while the report is taken is not part of it', async () => {
  const meanwhile = doing('meanwhile', () => account('1', '2'));
  expect((await report([balanced, meanwhile, { ...balanced, name: 'again' }])).ok).toBe(true);
  expect((await report([balanced])).ok).toBe(false);
});

describe('over HTTP', () => {
  async function get(query: string, parts: readonly Part[] = []) {
    const server = await listen(
      express().use(reconciliation(source(parts), () => new Date())),
      0,
      '127.0.0.1',
    );
    const url = `http://127.0.0.1:${portOf(server)}/internal/reconciliation${query}`;
    const answers = await Promise.all([fetch(url), fetch(url)]);
    const bodies = await Promise.all(answers.map((answer) => answer.json()));
    server.close();
    server.closeAllConnections();
    return { status: answers[0]!.status, bodies };
  }

  test('callers that come together share one report', async () => {
    let runs = 0;
    const counted = doing('counted', async () => {
      runs += 1;
    });
    const { status, bodies } = await get('?seconds=5&before=2026-01-01T00:00:00Z', [counted]);
    expect([status, runs]).toEqual([200, 1]);
    expect(bodies[0]).toEqual(bodies[1]);
    expect(bodies[0]).toMatchObject({ before: '2026-01-01T00:00:00.000Z', ok: true });
  });

  test('refuses more time than it may have', async () => {
    expect((await get('?seconds=100000')).status).toBe(422);
  });
});
