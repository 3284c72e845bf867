import { merchant } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { z } from 'zod';
import { forgetRecord, NameRecordsInAnswers1768000000000 } from '../forget-record.ts';
import { MESSAGING_TABLES } from '../messaging/tables.ts';
import { createTestDatabase, type TestDatabase } from '../testing/database.ts';
import { customerSession, organizationToken, personalToken } from '../testing/principals.ts';
import { type ServiceUnderTest, serviceUnderTest } from '../testing/service.ts';
import { IDEMPOTENCY_TABLE } from './idempotency.ts';
import { pagingShape } from './paging.ts';
import { notFound, Problem, problemType } from './problem.ts';
import { routeFor } from './route.ts';
import { Id, Int32 } from './wire.ts';

class CreateNotes1700000000000 implements MigrationInterface {
  name = 'CreateNotes1700000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `${MESSAGING_TABLES} ${IDEMPOTENCY_TABLE} create table notes (id uuid primary key, text text not null)`,
    );
  }
  async down(): Promise<void> {}
}

interface App {
  /** Resolves when the slow route may go on. */
  gate: Promise<void>;
  entered: () => void;
  /** Stalls the first caller until it is woken. */
  stall: () => Promise<void>;
}

const PaymentFailed = problemType('PaymentFailed', 402);
const route = routeFor<App>();
const Note = z.object({ text: z.string().max(100), count: Int32.optional() });

const routes = [
  route({
    method: 'POST',
    path: '/v1/notes/',
    operation: 'notes:create',
    summary: 'Create note',
    access: merchant('products:write'),
    status: 201,
    body: Note,
    response: z.object({ id: Id, text: z.string() }),
    handle: (call) =>
      call.transaction(async (tx) => {
        const id = newId();
        await tx.query('insert into notes (id, text) values ($1, $2)', [id, call.body.text]);
        if (call.body.text === 'refused') throw new Problem(PaymentFailed, 'No money');
        if (call.body.text === 'bug') throw new TypeError('a bug');
        return { id, text: call.body.text };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/notes/slow',
    operation: 'notes:slow',
    summary: 'Create note slowly',
    access: merchant('products:write'),
    body: Note,
    response: z.object({ done: z.boolean() }),
    handle: async (call, app) => {
      app.entered();
      await app.gate;
      return call.transaction(async () => ({ done: true }));
    },
  }),
  route({
    method: 'POST',
    path: '/v1/notes/stalled',
    operation: 'notes:stalled',
    summary: 'Create note; the first time it is called it stalls',
    access: merchant('products:write'),
    status: 201,
    body: Note,
    response: z.object({ id: Id }),
    handle: async (call, app) => {
      await app.stall();
      return call.transaction(async (tx) => {
        const id = newId();
        await tx.query('insert into notes (id, text) values ($1, $2)', [id, call.body.text]);
        return { id };
      });
    },
  }),
  route({
    method: 'GET',
    path: '/v1/notes/{id}',
    operation: 'notes:get',
    summary: 'Get note',
    access: merchant('products:read'),
    params: z.object({ id: Id }),
    query: z.object(pagingShape),
    response: z.object({ page: z.int(), limit: z.int() }),
    handle: async (call) => {
      if (call.query.page === 2) throw notFound();
      return { page: call.query.page, limit: call.query.limit };
    },
  }),
];

let database: TestDatabase;
let service: ServiceUnderTest;
const caller = organizationToken(newId());
const gate = Promise.withResolvers<void>();
const entered = Promise.withResolvers<void>();
const stalled = Promise.withResolvers<void>();
const wake = Promise.withResolvers<void>();
let isFirst = true;

async function stall(): Promise<void> {
  if (!isFirst) return;
  isFirst = false;
  stalled.resolve();
  await wake.promise;
}

beforeAll(async () => {
  database = await createTestDatabase('runtime', {
    entities: [],
    migrations: [CreateNotes1700000000000, NameRecordsInAnswers1768000000000],
  });
  const app = { gate: gate.promise, entered: entered.resolve, stall };
  service = await serviceUnderTest({ service: 'notes', routes, app, db: database.db, now: () => new Date() });
});
afterAll(async () => {
  await service?.stop();
  await database?.drop();
});

const create = (body: unknown, key?: string) =>
  service.request('POST', '/v1/notes/', { as: caller, body, headers: key ? { 'idempotency-key': key } : {} });
const noteCount = async () =>
  (await database.db.query('select count(*) as count from notes'))[0].count as number;

describe('who may call', () => {
  test('a customer session is not accepted on a merchant route', async () => {
    const { status, body, headers } = await service.request('GET', `/v1/notes/${newId()}`, {
      as: customerSession(newId(), newId()),
    });
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
    expect(headers.get('www-authenticate')).toBe('Bearer realm="tributary"');
  });

  test('a token without the scope is refused with the scopes it would need', async () => {
    const { status, body, headers } = await service.request('GET', `/v1/notes/${newId()}`, {
      as: organizationToken(newId(), ['orders:read']),
    });
    const text = 'The token needs one of these scopes: products:read';
    expect([status, body]).toEqual([
      403,
      { error: 'insufficient_scope', detail: text, error_description: text },
    ]);
    expect(headers.get('www-authenticate')).toContain('scope="products:read"');
  });

  test('a user of two thousand organizations is let in: the identity tells them all', async () => {
    const ids = Array.from({ length: 2_000 }, () => newId());
    const { status } = await service.request('GET', `/v1/notes/${newId()}`, { as: personalToken(ids) });
    expect(status).toBe(200);
  });

  test('a request that did not come through the gateway is refused', async () => {
    const { status } = await service.request('GET', `/v1/notes/${newId()}`, {
      as: caller,
      headers: { 'x-tributary-principal': 'forged' },
    });
    expect(status).toBe(401);
  });
});

describe('what is refused before the handler', () => {
  test.each([
    ['an empty body', undefined, ['body']],
    ['a body of the wrong type', [], ['body']],
    ['a missing field', {}, ['body', 'text']],
    ['an integer beyond 32 bits', { text: 'a', count: 2 ** 40 }, ['body', 'count']],
    ['a NUL character', { text: 'a\u0000b' }, ['body', 'text']],
  ])('%s is a 422 at its place', async (_name, body, loc) => {
    const response = await create(body);
    expect(response.status).toBe(422);
    expect(response.body.detail[0].loc).toEqual(loc);
  });

  test('broken JSON, deep JSON and bad UTF-8 are a 422 on the body', async () => {
    for (const raw of ['{"text":', `{"text":${'['.repeat(100_000)}`, Buffer.from([0x7b, 0xff, 0xfe, 0x7d])]) {
      const { status, body } = await service.request('POST', '/v1/notes/', { as: caller, raw });
      expect([status, body.detail[0].type]).toEqual([422, 'json_invalid']);
    }
  });

  test('a body over 10 MiB is a 413', async () => {
    const { status, body } = await create({ text: 'x'.repeat(10 * 1024 * 1024) });
    expect([status, body.error]).toEqual([413, 'RequestBodyTooLarge']);
  });

  test('issues of path and query are reported together', async () => {
    const { status, body } = await service.request('GET', '/v1/notes/nonsense?page=0', { as: caller });
    expect(status).toBe(422);
    expect(body.detail.map((issue: { loc: unknown }) => issue.loc)).toEqual([
      ['path', 'id'],
      ['query', 'page'],
    ]);
  });

  test('a limit above 100 is lowered, not refused', async () => {
    const { status, body } = await service.request('GET', `/v1/notes/${newId()}?limit=1000`, { as: caller });
    expect([status, body]).toEqual([200, { page: 1, limit: 100 }]);
  });

  test('an unknown path is a 404 in the contract’s shape', async () => {
    const { status, body } = await service.request('GET', '/v1/nothing/', { as: caller });
    expect([status, body]).toEqual([404, { error: 'ResourceNotFound', detail: 'Not found' }]);
  });
});

describe('a bug', () => {
  test('is a 500 that tells nothing, and leaves no write behind', async () => {
    const before = await noteCount();
    const { status, body } = await create({ text: 'bug' });
    expect([status, body]).toEqual([500, { error: 'InternalServerError', detail: 'Internal server error' }]);
    expect(await noteCount()).toBe(before);
  });
});

describe('an idempotency key', () => {
  test('replays status and body, and the effect happens once', async () => {
    const key = newId();
    const before = await noteCount();
    const first = await create({ text: 'once' }, key);
    const second = await create({ text: 'once' }, key);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect(await noteCount()).toBe(before + 1);
  });

  test('with a different body is a 422', async () => {
    const key = newId();
    await create({ text: 'one' }, key);
    const { status, body } = await create({ text: 'two' }, key);
    expect([status, body.detail[0].type]).toEqual([422, 'idempotency_key_reused']);
  });

  test('whose first request still runs is a 409', async () => {
    const headers = { 'idempotency-key': newId() };
    const first = service.request('POST', '/v1/notes/slow', { as: caller, body: { text: 'a' }, headers });
    await entered.promise;
    const twin = await service.request('POST', '/v1/notes/slow', {
      as: caller,
      body: { text: 'a' },
      headers,
    });
    expect([twin.status, twin.body.error]).toEqual([409, 'IdempotentRequestRunning']);
    gate.resolve();
    expect((await first).status).toBe(200);
  });

  test('replays a refusal, but a bug may be tried again', async () => {
    const [refused, bug] = [newId(), newId()];
    expect((await create({ text: 'refused' }, refused)).status).toBe(402);
    expect((await create({ text: 'refused' }, refused)).body.error).toBe('PaymentFailed');
    expect((await create({ text: 'bug' }, bug)).status).toBe(500);
    expect((await create({ text: 'bug' }, bug)).headers.get('idempotency-replayed')).toBeNull();
  });

  test('of another caller is another key', async () => {
    const key = newId();
    await create({ text: 'mine' }, key);
    const other = await service.request('POST', '/v1/notes/', {
      as: organizationToken(newId()),
      body: { text: 'theirs' },
      headers: { 'idempotency-key': key },
    });
    expect(other.body.text).toBe('theirs');
  });

  test('whose first request lost its lease is settled by the one that took over, and takes effect once', async () => {
    const headers = { 'idempotency-key': newId() };
    const before = await noteCount();
    const slow = service.request('POST', '/v1/notes/stalled', {
      as: caller,
      body: { text: 'late' },
      headers,
    });
    await stalled.promise;
    await database.db.query("update idempotency_keys set leased_until = now() - interval '1 second'");
    const second = await service.request('POST', '/v1/notes/stalled', {
      as: caller,
      body: { text: 'late' },
      headers,
    });
    wake.resolve();
    expect([(await slow).status, second.status]).toEqual([409, 201]);
    expect(await noteCount()).toBe(before + 1);
  });

  test('is not kept, nor is the answer readable without it', async () => {
    const key = newId();
    await create({ text: 'a very secret token' }, key);
    const rows = await database.db.query('select * from idempotency_keys');
    const text = JSON.stringify(rows, (_, value) =>
      value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
    );
    expect(text).not.toContain(key);
    expect(text).not.toContain('secret token');
  });

  test('keeps no answer that names a record which is forgotten, and does nothing again', async () => {
    const key = newId();
    const { body } = await create({ text: 'of somebody' }, key);
    const other = newId();
    await create({ text: 'of another' }, other);
    const before = await noteCount();
    await forgetRecord(database.db.manager, body.id);
    const again = await create({ text: 'of somebody' }, key);
    expect([again.status, again.body.error]).toEqual([410, 'ResourceUnavailable']);
    expect((await create({ text: 'of another' }, other)).status).toBe(201);
    expect(await noteCount()).toBe(before);
    const kept = await database.db.query('select answer from idempotency_keys where $1 = any(named)', [
      body.id,
    ]);
    expect(kept).toEqual([]);
  });

  test('a hundred twins at once leave one effect', async () => {
    const key = newId();
    const before = await noteCount();
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await create({ text: 'storm' }, key)).status),
    );
    expect(statuses.filter((status) => status !== 201 && status !== 409)).toEqual([]);
    expect(await noteCount()).toBe(before + 1);
  });
});
