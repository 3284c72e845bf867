import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import fc from 'fast-check';
import { elementsOf } from './json-elements.ts';
import { readBatch } from './read-batch.ts';
import { EventsIngest } from './schema.ts';

const organization = newId();
const merchant = organizationToken(organization);
const now = new Date('2026-06-15T12:00:00.000Z');
const good = { name: 'api_call', external_customer_id: 'c' };

const read = (events: unknown, as: Principal = merchant) => readBatch(JSON.stringify({ events }), as, now);

async function refusals(text: string, as: Principal = merchant): Promise<[string, string][]> {
  try {
    await readBatch(text, as, now);
    return [];
  } catch (error) {
    if (!(error instanceof ValidationProblem)) throw error;
    return error.issues.map((issue) => [issue.loc.join('.'), issue.type]);
  }
}
const refused = (event: unknown, as?: Principal) => refusals(JSON.stringify({ events: [good, event] }), as);

test('an event is read with its defaults', async () => {
  const customer = newId();
  expect(await read([good, { name: '', customer_id: customer.toUpperCase(), member_id: null }])).toEqual([
    {
      id: '',
      source: 'user',
      organization_id: organization,
      name: 'api_call',
      timestamp: now.getTime(),
      customer_id: null,
      member_id: null,
      external_customer_id: 'c',
      external_member_id: null,
      external_id: null,
      parent_id: null,
      parent: null,
      metadata: {},
    },
    {
      id: '',
      source: 'user',
      organization_id: organization,
      name: '',
      timestamp: now.getTime(),
      customer_id: customer,
      member_id: null,
      external_customer_id: null,
      external_member_id: null,
      external_id: null,
      parent_id: null,
      parent: null,
      metadata: {},
    },
  ]);
});

const long = 'x'.repeat(1024 * 1024);

test.each<[string, unknown, [string, string][]]>([
  ['not an object', 7, [['body.events.1', 'object_type']]],
  ['null', null, [['body.events.1', 'object_type']]],
  ['without a name', { external_customer_id: 'c' }, [['body.events.1.name', 'missing']]],
  [
    'a name of 129 characters',
    { ...good, name: 'x'.repeat(129) },
    [['body.events.1.name', 'string_too_long']],
  ],
  ['a name of a megabyte', { ...good, name: long }, [['body.events.1.name', 'string_too_long']]],
  ['a name that is a number', { ...good, name: 1 }, [['body.events.1.name', 'string_type']]],
  ['nobody’s', { name: 'x' }, [['body.events.1.customer_id', 'missing']]],
  [
    'two people’s',
    { ...good, customer_id: '0190f1c2-0000-4000-8000-000000000000' },
    [['body.events.1.external_customer_id', 'extra_forbidden']],
  ],
  ['a malformed customer', { name: 'x', customer_id: 'c' }, [['body.events.1.customer_id', 'uuid_parsing']]],
  [
    'a foreign organization',
    { ...good, organization_id: newId() },
    [['body.events.1.organization_id', 'organization_token']],
  ],
  [
    'an organization that is a list',
    { ...good, organization_id: [] },
    [['body.events.1.organization_id', 'string_type']],
  ],
  [
    'tomorrow',
    { ...good, timestamp: '2026-06-16T12:00:00Z' },
    [['body.events.1.timestamp', 'datetime_past']],
  ],
  [
    'the year 9999',
    { ...good, timestamp: '9999-12-31T23:59:59Z' },
    [['body.events.1.timestamp', 'datetime_past']],
  ],
  [
    'the year 0',
    { ...good, timestamp: '0000-01-01T00:00:00Z' },
    [['body.events.1.timestamp', 'datetime_parsing']],
  ],
  [
    '30 February',
    { ...good, timestamp: '2026-02-30T00:00:00Z' },
    [['body.events.1.timestamp', 'datetime_parsing']],
  ],
  [
    'a time without an offset',
    { ...good, timestamp: '2026-02-03T00:00:00' },
    [['body.events.1.timestamp', 'timezone_aware']],
  ],
  ['a time that is null', { ...good, timestamp: null }, [['body.events.1.timestamp', 'string_type']]],
  ['nested metadata', { ...good, metadata: { a: {} } }, [['body.events.1.metadata.a', 'string_type']]],
  ['a list in metadata', { ...good, metadata: { a: [1] } }, [['body.events.1.metadata.a', 'string_type']]],
  ['null in metadata', { ...good, metadata: { a: null } }, [['body.events.1.metadata.a', 'string_type']]],
  ['an empty value', { ...good, metadata: { a: '' } }, [['body.events.1.metadata.a', 'string_too_short']]],
  [
    'a value of 501 characters',
    { ...good, metadata: { a: 'x'.repeat(501) } },
    [['body.events.1.metadata.a', 'string_too_long']],
  ],
  ['2^53', { ...good, metadata: { a: 2 ** 53 } }, [['body.events.1.metadata.a', 'number_not_exact']]],
  ['a denormal', { ...good, metadata: { a: 5e-324 } }, [['body.events.1.metadata.a', 'number_not_exact']]],
  ['metadata that is a list', { ...good, metadata: [] }, [['body.events.1.metadata', 'object_type']]],
  [
    'a cost without its parts',
    { ...good, metadata: { _cost: {} } },
    [
      ['body.events.1.metadata._cost.currency', 'missing'],
      ['body.events.1.metadata._cost.amount', 'missing'],
    ],
  ],
  [
    'a cost with 13 decimals',
    { ...good, metadata: { _cost: { amount: '0.1234567890123', currency: 'usd' } } },
    [['body.events.1.metadata._cost.amount', 'decimal_parsing']],
  ],
  [
    'a cost in euro',
    { ...good, metadata: { _cost: { amount: 1, currency: 'eur' } } },
    [['body.events.1.metadata._cost.currency', 'string_pattern_mismatch']],
  ],
  [
    'a model without tokens',
    { ...good, metadata: { _llm: { vendor: 'v', model: 'm', input_tokens: 1, output_tokens: '2' } } },
    [
      ['body.events.1.metadata._llm.output_tokens', 'int_type'],
      ['body.events.1.metadata._llm.total_tokens', 'missing'],
    ],
  ],
  [
    'a bottomless field that nobody reads',
    { ...good, note: JSON.parse('['.repeat(100) + ']'.repeat(100)) },
    [['body.events.1', 'json_invalid']],
  ],
  [
    'an external id of 513 characters',
    { ...good, external_id: 'x'.repeat(513) },
    [['body.events.1.external_id', 'string_too_long']],
  ],
  ['a NUL character', { ...good, metadata: { a: 'a\0b' } }, [['body.events.1.metadata.a', 'string_unicode']]],
  [
    'a NUL character in a key',
    { ...good, metadata: { 'a\0b': 1 } },
    [['body.events.1.metadata', 'string_unicode']],
  ],
  ['half a surrogate pair', { ...good, name: '\ud83d' }, [['body.events.1.name', 'string_unicode']]],
])('%s is refused at its place', async (_what, event, expected) => {
  expect(await refused(event)).toEqual(expected);
});

test.each<[string, string, [string, string][]]>([
  ['nothing', '', [['body', 'missing']]],
  ['a list', '[]', [['body', 'object_type']]],
  ['null', 'null', [['body', 'object_type']]],
  ['no events', '{}', [['body.events', 'missing']]],
  ['events that are no list', '{"events":{}}', [['body.events', 'array_type']]],
  ['broken JSON', '{"events":[{]}', [['body', 'json_invalid']]],
  [
    'not a number',
    '{"events":[{"name":"x","external_customer_id":"c","metadata":{"a":NaN}}]}',
    [['body', 'json_invalid']],
  ],
  [
    'a number beyond all',
    '{"events":[{"name":"x","external_customer_id":"c","metadata":{"a":1e999}}]}',
    [['body.events.0.metadata.a', 'number_not_exact']],
  ],
  ['a depth bomb', `{"events":${'['.repeat(100_000)}`, [['body', 'json_invalid']]],
  [
    'a depth bomb in metadata',
    `{"events":[{"metadata":${'{"a":'.repeat(100_000)}`,
    [['body', 'json_invalid']],
  ],
])('%s instead of a request is refused', async (_what, text, expected) => {
  expect(await refusals(text)).toEqual(expected);
});

test('every issue is told, up to a thousand', async () => {
  expect(await refused({ name: 1, timestamp: 'x', metadata: { a: '', b: null } })).toHaveLength(4);
  expect(await refusals(JSON.stringify({ events: Array.from({ length: 5_000 }, () => ({})) }))).toHaveLength(
    1_000,
  );
  const strangers = Array.from({ length: 5_000 }, () => ({ ...good, organization_id: newId() }));
  expect(await refusals(JSON.stringify({ events: strangers }))).toHaveLength(1_000);
  const metadata = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key${n}`, null]));
  expect(await refused({ metadata })).toHaveLength(1_000);
});

test('names of the language are data like any other', async () => {
  const text =
    '{"events":[{"name":"constructor","external_customer_id":"__proto__","metadata":{"__proto__":"a","toString":1}}]}';
  const [event] = await readBatch(text, merchant, now);
  expect(JSON.stringify(event!.metadata)).toBe('{"__proto__":"a","toString":1}');
  expect(event!.external_customer_id).toBe('__proto__');
});

test('typed metadata is normalized, unknown parts of it are dropped', async () => {
  const [event] = await read([
    {
      ...good,
      metadata: {
        _cost: { amount: '.50', currency: 'usd', note: 'x' },
        _llm: {
          vendor: 'v',
          model: 'm',
          prompt: null,
          input_tokens: 1,
          output_tokens: 2,
          total_tokens: 3,
          x: 1,
        },
      },
    },
  ]);
  expect(event!.metadata).toEqual({
    _cost: { amount: '0.5', currency: 'usd' },
    _llm: { vendor: 'v', model: 'm', prompt: null, input_tokens: 1, output_tokens: 2, total_tokens: 3 },
  });
});

test('times with any offset mean the same instant; finer digits than milliseconds are dropped', async () => {
  const timestamps = [
    '2026-06-15T10:00:00.123Z',
    '2026-06-15T12:00:00.123999+02:00',
    '2026-06-15 04:30:00.123-0530',
    '2026-06-15T10:00Z',
  ];
  const events = await read(timestamps.map((timestamp) => ({ ...good, timestamp })));
  expect(events.map((event) => new Date(event.timestamp).toISOString())).toEqual([
    '2026-06-15T10:00:00.123Z',
    '2026-06-15T10:00:00.123Z',
    '2026-06-15T10:00:00.123Z',
    '2026-06-15T10:00:00.000Z',
  ]);
});

test('a user names the organization, unless the token knows only one', async () => {
  const user = personalToken([organization, newId()]);
  expect(await refused(good, user)).toEqual([
    ['body.events.0.organization_id', 'missing'],
    ['body.events.1.organization_id', 'missing'],
  ]);
  expect(
    await read([good], { ...user, organizations: [{ id: organization, role: 'owner' }], is_limited: true }),
  ).toHaveLength(1);
  expect((await read([{ ...good, organization_id: organization }], user))[0]!.organization_id).toBe(
    organization,
  );
});

test('a large request is read piece by piece to the same events', async () => {
  const events = Array.from({ length: 5_000 }, (_, n) => ({
    ...good,
    metadata: { n, text: `a "quoted" ] } , [ { \\ ${'y'.repeat(n % 90)}` },
  }));
  const text = JSON.stringify({ note: 'x', events, trailer: [1, { a: 2 }] }, null, 1);
  const read = await readBatch(text, merchant, now);
  expect(read.map((event) => event.metadata)).toEqual(events.map((event) => event.metadata));
  const broken = `${JSON.stringify({ events }).slice(0, -2)},]}`;
  expect(await refusals(broken)).toEqual([['body', 'json_invalid']]);
  expect(await refusals(JSON.stringify({ events }).replace('},{', '},,{'))).toEqual([
    ['body', 'json_invalid'],
  ]);
  expect(await refusals(`${JSON.stringify({ events })}x`)).toEqual([['body', 'json_invalid']]);
});

test('elements are found where a whole parse would find them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.constantFrom('a', 'events', 'b"'), fc.jsonValue({ maxDepth: 2 })),
      fc.array(fc.jsonValue({ maxDepth: 3 })),
      fc.constantFrom(0, 1, 2),
      async (others, events, indent) => {
        const text = JSON.stringify({ ...others, events }, null, indent);
        const found = await elementsOf(text, 'events');
        if (!found) return;
        const pieces = found.ends.map((end, index) =>
          text.slice(index === 0 ? found.start : found.ends[index - 1]! + 1, end),
        );
        expect(pieces.map((piece) => JSON.parse(piece))).toEqual(JSON.parse(JSON.stringify(events)));
        expect(JSON.parse(found.rest)).toEqual(JSON.parse(JSON.stringify({ ...others, events: [] })));
      },
    ),
  );
});

const texts = fc.oneof(
  { weight: 20, arbitrary: fc.string({ minLength: 1, maxLength: 20 }) },
  fc.integer({ min: 126, max: 130 }).map((length) => 'é'.repeat(length)),
  fc.integer({ min: 499, max: 502 }).map((length) => 'v'.repeat(length)),
);
const junk = fc.constantFrom<unknown>(null, 7, true, '', [], {}, [1], { a: 1 });
const maybe = (value: fc.Arbitrary<unknown>) =>
  fc.option(fc.oneof({ weight: 20, arbitrary: value }, junk), { nil: undefined });
const ids = fc.oneof(
  { weight: 20, arbitrary: fc.uuid({ version: 4 }) },
  fc.uuid({ version: [1, 7] }),
  fc.string({ maxLength: 5 }),
);
const instants = fc.oneof(
  fc
    .date({ min: new Date('0001-01-02'), max: new Date('2026-06-15'), noInvalidDate: true })
    .map((date) => date.toISOString()),
  fc.constantFrom(
    '2026-06-15',
    '2026-06-15T11:00:00',
    '2026-06-15T11:00:00Z',
    '2026-06-15T11:00:00.5+02:00',
    '2026-02-30T00:00:00Z',
    'now',
  ),
);
const events = fc.record({
  name: fc.oneof({ weight: 20, arbitrary: texts }, junk, fc.constant(undefined)),
  who: fc.oneof(
    fc.record({ customer_id: fc.oneof({ weight: 20, arbitrary: ids }, junk), member_id: maybe(ids) }),
    fc.record({
      external_customer_id: fc.oneof({ weight: 20, arbitrary: texts }, junk),
      external_member_id: maybe(texts),
    }),
  ),
  timestamp: maybe(instants),
  external_id: maybe(texts),
  parent_id: maybe(texts),
  metadata: fc.option(
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc.dictionary(
          texts,
          fc.oneof({ weight: 60, arbitrary: fc.oneof(texts, fc.integer(), fc.boolean()) }, junk),
          { maxKeys: 4 },
        ),
      },
      junk,
    ),
    { nil: undefined },
  ),
});

test('by hand the same events are taken and refused as by the described shape', async () => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(events, async ({ who, ...event }) => {
      const sent = JSON.stringify({ events: [{ ...event, ...who }] });
      const { success } = EventsIngest.safeParse(JSON.parse(sent));
      seen[success ? 'taken' : 'refused'] += 1;
      expect([sent, (await refusals(sent)).length === 0]).toEqual([sent, success]);
    }),
    { numRuns: 2_000 },
  );
  expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(200);
});
