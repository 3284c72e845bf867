import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import type pg from 'pg';
import type { CustomerCopy } from '../replicas.ts';
import { createWorld, START, type World } from '../testing/world.ts';
import type { IngestedEvent } from './event-input.ts';
import { ingestEvents } from './ingest-events.flow.ts';
import { Knowledge } from './knowledge.ts';
import { type OneTrip, planOneTrip } from './one-trip.flow.ts';
import { inOneTrip, inSharedTransaction, openPool } from './transactions-store.ts';

const NOW = new Date(START);

let world: World;
let pool: pg.Pool;
beforeAll(async () => {
  world = await createWorld();
  pool = openPool(world.databaseUrl);
});
afterAll(async () => {
  await pool?.end();
  await world?.stop();
});

const eventOf = (given: Partial<IngestedEvent>): IngestedEvent => ({
  id: '',
  source: 'user',
  organization_id: world.organization,
  name: 'api_call',
  timestamp: NOW.getTime() - 1_000,
  customer_id: null,
  member_id: null,
  external_customer_id: null,
  external_member_id: null,
  external_id: newId(),
  parent_id: null,
  parent: null,
  metadata: {},
  ...given,
});

/** A customer, a meter that counts it, and a process that has stored an event of the customer. */
async function familiar() {
  const customer = await world.addCustomer({ external_id: newId() });
  const meter = await world.createMeter();
  const knowledge = new Knowledge();
  const named = (given: Partial<IngestedEvent> = {}) => eventOf({ customer_id: customer.id, ...given });
  const known = [named(), eventOf({ external_customer_id: customer.external_id })];
  const { types, around } = await inSharedTransaction(pool, [world.organization], (sql) =>
    ingestEvents(sql, [known], knowledge, NOW),
  );
  knowledge.remember(types);
  knowledge.surroundings.keep(around);
  const plan = async (events: readonly IngestedEvent[]): Promise<OneTrip> => {
    const trip = await planOneTrip([events], knowledge, NOW);
    if (!trip) throw new Error('this takes several steps');
    return trip;
  };
  const go = ({ organizations, statement, sendBefore }: OneTrip) =>
    inOneTrip(pool, organizations, statement, sendBefore);
  const consumed = async () => (await world.balanceOf(customer.id, meter.id))?.consumed;
  return { customer, meter, knowledge, named, known, plan, go, consumed };
}

const storedWith = async (events: readonly IngestedEvent[]): Promise<number> => {
  const rows: unknown[] = await world.app.db.query('select from events where id = any($1)', [
    events.map((event) => event.id),
  ]);
  return rows.length;
};

test('events of familiar names are stored and counted in one trip', async () => {
  const { customer, named, plan, go, consumed } = await familiar();
  const events = [
    named(),
    eventOf({ external_customer_id: customer.external_id }),
    named({ external_id: null }),
  ];
  const trip = await plan(events);
  expect(await go(trip)).toBe(true);
  expect(trip.outcomes).toEqual([{ inserted: 3, duplicates: 0 }]);
  expect(await storedWith(events)).toBe(3);
  expect(await consumed()).toBe(5);
});

test('what is not familiar takes several steps', async () => {
  const { knowledge, named } = await familiar();
  const plan = (event: IngestedEvent) => planOneTrip([[event]], knowledge, NOW);
  expect(await plan(named())).toBeDefined();
  expect(await plan(named({ name: 'never seen' }))).toBeUndefined();
  expect(await plan(named({ customer_id: newId() }))).toBeUndefined();
  expect(await plan(named({ customer_id: null, external_customer_id: 'nobody' }))).toBeUndefined();
  expect(await plan(named({ member_id: newId() }))).toBeUndefined();
  expect(await plan(named({ parent_id: newId() }))).toBeUndefined();
  expect(await plan(named({ organization_id: newId() }))).toBeUndefined();
});

describe('the database refuses all of it', () => {
  const refused: [
    string,
    (place: Awaited<ReturnType<typeof familiar>>, events: IngestedEvent[]) => Promise<unknown>,
  ][] = [
    [
      'an event that is there already',
      async ({ known }, events) => {
        events[1]!.external_id = known[0]!.external_id;
      },
    ],
    [
      'an event that comes twice',
      async (_, events) => {
        events[1]!.external_id = events[0]!.external_id;
      },
    ],
    [
      'a customer deleted meanwhile',
      ({ customer }) => world.replicate('customers', { ...customer, deleted_at: START } as CustomerCopy),
    ],
    [
      'a customer that is gone altogether',
      ({ customer }) =>
        world.service.deliver({
          topic: stateTopics.customers.name,
          key: customer.id,
          type: 'customers.changed',
          value: null,
        }),
    ],
    [
      'an external id that means somebody else now',
      async ({ customer }) => {
        await world.replicate('customers', { ...customer, external_id: newId() } as CustomerCopy);
        await world.addCustomer({ external_id: customer.external_id });
      },
    ],
    ['a meter made meanwhile', () => world.createMeter()],
    [
      'a meter archived meanwhile',
      ({ meter }) =>
        world.service.request('PATCH', `/v1/meters/${meter.id}`, {
          as: world.merchant,
          body: { is_archived: true },
        }),
    ],
    [
      'events that wait for a parent',
      () => world.ingest([{ name: 'api_call', external_customer_id: 'nobody', parent_id: newId() }]),
    ],
    [
      'an event older than its customer meter’s reset',
      ({ customer }) =>
        world.app.db.query('update customer_meters set reset_at = $2 where customer_id = $1', [
          customer.id,
          NOW,
        ]),
    ],
  ];

  test.each(refused)('because of %s', async (_, change) => {
    const place = await familiar();
    const external = eventOf({ external_customer_id: place.customer.external_id });
    const events = [place.named(), place.named(), external];
    const first = await place.plan(events);
    expect(first.outcomes).toEqual([{ inserted: 3, duplicates: 0 }]);
    await change(place, events);
    const before: unknown = await world.app.db.query('select * from customer_meters order by id');
    expect(await place.go(await place.plan(events))).toBe(false);
    expect(await storedWith(events)).toBe(0);
    expect(await world.app.db.query('select * from customer_meters order by id')).toEqual(before);
    await world.app.db.query('delete from pending_parents');
  });

  test('because the lock was not taken ahead of it', async () => {
    const { named, plan } = await familiar();
    const events = [named()];
    const { statement } = await plan(events);
    await expect(pool.query(statement.text, [...statement.values])).rejects.toMatchObject({
      code: 'TB001',
    });
    expect(await storedWith(events)).toBe(0);
  });
});

test('no events take several steps too', async () => {
  const { knowledge } = await familiar();
  expect(await planOneTrip([[]], knowledge, NOW)).toBeUndefined();
});

test('events that have waited long get other ids', async () => {
  const { named, plan, go } = await familiar();
  const events = [named()];
  expect(await go({ ...(await plan(events)), sendBefore: Date.now() - 1 })).toBe(false);
  expect(await storedWith(events)).toBe(0);
});

test('a statement that cannot be prepared is refused, and the connection goes on', async () => {
  const { named, plan, go } = await familiar();
  const trip = await plan([named()]);
  const broken = { name: 'broken', text: 'select no_such_function()', values: [] };
  expect(await go({ ...trip, statement: broken })).toBe(false);
  expect(await go(trip)).toBe(true);
  expect(pool.totalCount).toBe(1);
});

test('a connection goes on after a refusal', async () => {
  const { named, known, plan, go } = await familiar();
  expect(await go(await plan([named({ external_id: known[0]!.external_id })]))).toBe(false);
  expect(await go(await plan([named()]))).toBe(true);
  expect(pool.totalCount).toBe(1);
});

test('a lost connection is no refusal: what became of the events, nobody knows', async () => {
  const { named, plan, go } = await familiar();
  const trip = await plan([named()]);
  await world.app.db.transaction(async (tx) => {
    await tx.query('lock table event_external_ids in share mode');
    const gone = go(trip).then(
      () => 'answered',
      (error: { code?: string }) => error.code,
    );
    let ended = 0;
    while (ended === 0) {
      await tx.query('select pg_stat_clear_snapshot()');
      const rows: unknown[] = await tx.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      ended = rows.length;
    }
    expect(await gone).toBe('57P01');
  });
  expect(await go(await plan([named()]))).toBe(true);
});
