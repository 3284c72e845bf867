import { readdirSync, readFileSync } from 'node:fs';
import { getPriority } from 'node:os';
import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { MAX_BODY_BYTES } from '@tributary/runtime/http/body.ts';
import { organizationToken, personalToken, readerOf } from '@tributary/runtime/testing/principals.ts';
import { createWorld, customerOf, named, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const post = (
  given: { raw?: string | Buffer; body?: unknown; headers?: Record<string, string> },
  as: Principal = world.merchant,
) => world.service.request('POST', '/v1/events/ingest', { as, ...given });

const stored = async (name: string): Promise<number> =>
  (await world.service.request('GET', `/v1/events/?name=${name}`, { as: world.merchant })).body.pagination
    .total_count;

test('requests that are stored together are answered each with its own numbers', async () => {
  const customer = await world.addCustomer();
  const name = newId();
  const meter = await world.createMeter({ filter: named(name) });
  const event = (external_id: string, customer_id = customer.id) => ({ name, external_id, customer_id });
  const shared = newId();
  const requests = Array.from({ length: 64 }, (_, index) => {
    if (index % 16 === 7) return [event(newId()), event(newId(), newId())];
    if (index % 16 === 9) return [{ name: 'x'.repeat(129), customer_id: customer.id }];
    return [event(`${name}-${index}`), event(`${name}-${index}`), event(shared)];
  });
  const answers = await Promise.all(requests.map((events) => post({ body: { events } })));
  const good = answers.filter((answer) => answer.status === 200);
  const refused = answers.filter((answer) => answer.status === 422);
  expect([good.length, refused.length]).toEqual([56, 8]);
  expect(good.filter(({ body }) => body.inserted === 2 && body.duplicates === 1)).toHaveLength(1);
  expect(good.filter(({ body }) => body.inserted === 1 && body.duplicates === 2)).toHaveLength(55);
  expect(refused.map(({ body }) => body.detail[0].loc.join('.')).toSorted()).toEqual([
    ...Array.from({ length: 4 }, () => 'body.events.0.name'),
    ...Array.from({ length: 4 }, () => 'body.events.1.customer_id'),
  ]);
  expect(await stored(name)).toBe(57);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 57 });
});

test('organizations that come together stay apart', async () => {
  const others = Array.from({ length: 8 }, () => organizationToken(newId()));
  const external_id = newId();
  const answers = await Promise.all(
    others.map((as) =>
      post({ body: { events: [{ name: 'x', external_customer_id: 'c', external_id }] } }, as),
    ),
  );
  expect(answers.map(({ body }) => body)).toEqual(others.map(() => ({ inserted: 1, duplicates: 0 })));
});

test('60,000 events in one request hold up nobody', async () => {
  const customer = await world.addCustomer();
  const name = newId();
  const meter = await world.createMeter({ filter: named(name), aggregation: { func: 'sum', property: 'n' } });
  const events = Array.from({ length: 60_000 }, (_, n) => ({
    name,
    customer_id: customer.id,
    external_id: `large-${n}`,
    metadata: { n },
  }));
  const raw = JSON.stringify({ events });
  expect(raw.length).toBeGreaterThan(8 * 1024 * 1024);
  expect(raw.length).toBeLessThan(MAX_BODY_BYTES);
  let isLargeDone = false;
  const large = post({ raw }).finally(() => {
    isLargeDone = true;
  });
  let answeredMeanwhile = 0;
  while (!isLargeDone) {
    await world.ingest([{ name: 'neighbour', external_customer_id: 'n' }]);
    if (!isLargeDone) answeredMeanwhile += 1;
  }
  expect((await large).body).toEqual({ inserted: 60_000, duplicates: 0 });
  expect(answeredMeanwhile).toBeGreaterThan(20);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: (60_000 * 59_999) / 2 });
  const again = await post({ raw });
  expect(again.body).toEqual({ inserted: 0, duplicates: 60_000 });
}, 60_000);

/** Priorities of this process's threads; a greater number stands behind a smaller one. */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
    // The name of the thread, in parentheses, may hold anything; the priority is the 17th field after it.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

(process.platform === 'linux' ? test : test.skip)(
  'large requests leave the processor to small ones',
  async () => {
    const own = getPriority();
    const events = Array.from({ length: 2_500 }, () => ({ name: 'bulk', external_customer_id: 'c' }));
    expect((await post({ body: { events } })).status).toBe(200);
    expect([Math.min(...niceness()), Math.max(...niceness())]).toEqual([own, 10]);
  },
);

test('a request of thousands of customers adds to each of their meters', async () => {
  const customers = Array.from({ length: 2_600 }, () => customerOf({ organization_id: world.organization }));
  await world.app.db.query(
    `insert into customers_replica (id, organization_id, value)
     select (value ->> 'id')::uuid, $2, value from jsonb_array_elements($1::jsonb) value`,
    [JSON.stringify(customers), world.organization],
  );
  const name = newId();
  const aggregations = [{ func: 'count' }, { func: 'sum', property: 'n' }, { func: 'unique', property: 'n' }];
  const meters = [];
  for (const aggregation of aggregations) {
    meters.push(await world.createMeter({ filter: named(name), aggregation }));
  }
  const events = customers.map(({ id }, n) => ({ name, customer_id: id, external_id: id, metadata: { n } }));
  for (const part of [events.slice(0, 1_900), events]) await world.ingest(part);
  const totals = await world.app.db.query(
    `select meter_id, count(*)::integer as meters, sum(measured_count + distinct_count)::integer as events,
       sum(measured_sum)::integer as sum
     from customer_meters where meter_id = any($1) group by meter_id`,
    [meters.map(({ id }) => id)],
  );
  const sum = (2_600 * 2_599) / 2;
  expect(new Map(totals.map(({ meter_id, ...rest }: { meter_id: string }) => [meter_id, rest]))).toEqual(
    new Map([
      [meters[0]!.id, { meters: 2_600, events: 2_600, sum: 2_600 }],
      [meters[1]!.id, { meters: 2_600, events: 2_600, sum }],
      [meters[2]!.id, { meters: 2_600, events: 5_200, sum: 0 }],
    ]),
  );
});

test('a large request is refused for the same reasons as a small one', async () => {
  const name = newId();
  const stranger = newId();
  const late = customerOf({ organization_id: world.organization });
  const events = (customer_id: string) =>
    Array.from({ length: 1_000 }, (_, place) => ({
      name,
      ...(place === 700 ? { customer_id } : { external_customer_id: 'c' }),
      organization_id: world.organization,
      metadata: { place },
    }));
  const unknown = await post({ body: { events: events(stranger) } }, personalToken([world.organization]));
  expect([unknown.status, unknown.body.detail]).toEqual([
    422,
    [
      {
        loc: ['body', 'events', 700, 'customer_id'],
        msg: 'Customer not found.',
        type: 'value_error',
        input: stranger,
      },
    ],
  ]);
  const reader = await post({ body: { events: events(late.id) } }, readerOf(world.organization));
  expect([reader.status, reader.body.error]).toEqual([403, 'NotPermitted']);
  expect(await stored(name)).toBe(0);
  world.elsewhere.set(late.id, late);
  const known = await post({ body: { events: events(late.id) } }, personalToken([world.organization]));
  expect(known.body).toEqual({ inserted: 1_000, duplicates: 0 });
});

describe('bad input leaves nothing behind', () => {
  const padded = (bytes: number) => {
    const event = { name: 'padded', external_customer_id: 'c' };
    const frame = JSON.stringify({ pad: '', events: [event] });
    return JSON.stringify({ pad: 'x'.repeat(bytes - frame.length), events: [event] });
  };

  test('a body of 10 MiB is taken, one byte more is not', async () => {
    expect((await post({ raw: padded(MAX_BODY_BYTES) })).body).toEqual({ inserted: 1, duplicates: 0 });
    const over = await post({ raw: padded(MAX_BODY_BYTES + 1) });
    expect([over.status, over.body.error]).toEqual([413, 'RequestBodyTooLarge']);
    expect(await stored('padded')).toBe(1);
  });

  const first = '{"name":"left_behind","external_customer_id":"c"}';
  const withInvalidUtf8 = (before: string, behind: string) =>
    Buffer.concat([Buffer.from(before), Buffer.from([0xff, 0xfe]), Buffer.from(behind)]);
  test.each<[string, string | Buffer]>([
    ['a depth bomb', `{"events":[${first},${'['.repeat(200_000)}`],
    [
      'a deep value',
      `{"events":[${first},{"name":"x","external_customer_id":"c","metadata":{"a":${'['.repeat(100)}${']'.repeat(100)}}}]}`,
    ],
    ['invalid UTF-8', withInvalidUtf8(`{"events":[${first},{"name":"`, '"}]}')],
    [
      'invalid UTF-8 in a large request',
      withInvalidUtf8(`{"events":[${`${first},`.repeat(2_000)}{"name":"`, '"}]}'),
    ],
    ['an escaped NUL', `{"events":[${first},{"name":"a\\u0000","external_customer_id":"c"}]}`],
    [
      'half a surrogate pair in a key',
      `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"\\ud800":1}}]}`,
    ],
    [
      '2^53',
      `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":9007199254740993}}]}`,
    ],
    [
      'the negative of 2^53',
      `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":-9007199254740992}}]}`,
    ],
    [
      'a number of 400 digits',
      `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":${'9'.repeat(400)}}}]}`,
    ],
    ['1e-300', `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":1e-300}}]}`],
    ['1e400', `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":1e400}}]}`],
    ['NaN', `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":NaN}}]}`],
    [
      'a name of a megabyte',
      `{"events":[${first},{"name":"${'n'.repeat(1024 * 1024)}","external_customer_id":"c"}]}`,
    ],
    [
      'an external id of a megabyte',
      `{"events":[${first},{"name":"a","external_customer_id":"${'n'.repeat(1024 * 1024)}"}]}`,
    ],
    [
      'a metadata value of a megabyte',
      `{"events":[${first},{"name":"a","external_customer_id":"c","metadata":{"n":"${'n'.repeat(1024 * 1024)}"}}]}`,
    ],
    [
      'an event from the future',
      `{"events":[${first},{"name":"a","external_customer_id":"c","timestamp":"2026-06-15T12:00:01Z"}]}`,
    ],
    [
      'the year 0',
      `{"events":[${first},{"name":"a","external_customer_id":"c","timestamp":"0000-12-31T23:59:59Z"}]}`,
    ],
    ['three million empty events', `{"events":[${first},${'{},'.repeat(3_000_000)}{}]}`],
    [
      'the year 300000',
      `{"events":[${first},{"name":"a","external_customer_id":"c","timestamp":"+300000-01-01T00:00:00Z"}]}`,
    ],
  ])('%s', async (_what, raw) => {
    const neighbours = Promise.all(
      Array.from({ length: 5 }, () =>
        post({ body: { events: [{ name: 'well', external_customer_id: 'c' }] } }),
      ),
    );
    expect((await post({ raw })).status).toBe(422);
    expect((await neighbours).map((answer) => answer.body)).toEqual(
      Array.from({ length: 5 }, () => ({ inserted: 1, duplicates: 0 })),
    );
    expect(await stored('left_behind')).toBe(0);
  });

  test('a metadata key of a megabyte, and one event with 400,000 keys, are taken and hold up nobody', async () => {
    const keys = Object.fromEntries(Array.from({ length: 400_000 }, (_, n) => [`k${n}`, n]));
    for (const metadata of [{ ['k'.repeat(1024 * 1024)]: 1 }, keys]) {
      const large = post({ body: { events: [{ name: 'many_keys', external_customer_id: 'c', metadata }] } });
      const neighbour = await world.ingest([{ name: 'well', external_customer_id: 'c' }]);
      expect(neighbour).toEqual({ inserted: 1, duplicates: 0 });
      expect((await large).body).toEqual({ inserted: 1, duplicates: 0 });
    }
    expect(await stored('many_keys')).toBe(2);
  }, 60_000);

  test('an event from the year 1 is stored', async () => {
    await world.ingest([{ name: 'ancient', external_customer_id: 'c', timestamp: '0001-01-01T00:00:00Z' }]);
    expect(await stored('ancient')).toBe(1);
  });

  test('names of the language are stored as they are', async () => {
    const raw =
      '{"events":[{"name":"__proto__","external_customer_id":"constructor","metadata":{"__proto__":"a","constructor":2}}],"__proto__":{"events":1}}';
    expect((await post({ raw })).body).toEqual({ inserted: 1, duplicates: 0 });
    const { body } = await world.service.request('GET', '/v1/events/?name=__proto__', { as: world.merchant });
    expect(JSON.stringify(body.items[0].metadata)).toBe('{"__proto__":"a","constructor":2}');
  });
});

test('an idempotency key stores a request once and replays its answer', async () => {
  const customer = await world.addCustomer();
  const name = newId();
  const meter = await world.createMeter({ filter: named(name) });
  const headers = { 'idempotency-key': newId() };
  const body = {
    events: [
      { name, customer_id: customer.id },
      { name, customer_id: customer.id },
    ],
  };
  const first = await post({ body, headers });
  const second = await post({ body, headers });
  expect([first.body, second.body, second.headers.get('idempotency-replayed')]).toEqual([
    { inserted: 2, duplicates: 0 },
    { inserted: 2, duplicates: 0 },
    'true',
  ]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 2 });
  const other = await post({ body: { events: [] }, headers });
  expect(other.status).toBe(422);
});
