import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import fc from 'fast-check';
import type { Aggregation } from '../meters/schema.ts';
import { Reference, type ReferenceEvent, type ReferenceMeter } from '../testing/reference.ts';
import { createWorld, named, START, type World } from '../testing/world.ts';
import { CUSTOMER_METER_COLUMNS } from './changes-store.ts';
import { creditMeter, resetMeter } from './credit-customer-meter.flow.ts';
import { readUsage } from './read-usage.flow.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const HOUR_MS = 3_600_000;
const hour = fc.integer({ min: 1, max: 8 });
/** Instants on a coarse grid before the present, so that events, credits and resets often share one. */
const instant = (hours: number) => Date.parse(START) - hours * HOUR_MS;

/** Hours before the present. */
const SPANS = [
  [9, 0],
  [8, 4],
  [6, 3],
  [3, 1],
] as const;

const aggregation: fc.Arbitrary<Aggregation> = fc.oneof(
  fc.constant({ func: 'count' as const }),
  fc.record({
    func: fc.constantFrom('sum' as const, 'max' as const, 'min' as const, 'avg' as const),
    property: fc.constant('tokens'),
  }),
  fc.record({ func: fc.constant('unique' as const), property: fc.constant('tag') }),
);

const event = fc.record({
  name: fc.constantFrom('x', 'y'),
  who: fc.constantFrom('known', 'late'),
  hour,
  tokens: fc.option(fc.constantFrom('0', '1', '7', '0.1', '0.2', '-2.5', '0.0000001', '1234567.891'), {
    nil: undefined,
  }),
  tag: fc.option(fc.constantFrom('red', 'green', 'blue'), { nil: undefined }),
});
type Drawn = typeof event extends fc.Arbitrary<infer T> ? T : never;

const batch = fc.array(fc.integer({ min: 0, max: 14 }), { minLength: 1, maxLength: 8 });
const place = { meter: fc.nat({ max: 2 }), who: fc.constantFrom('known', 'late') };

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('ingest' as const),
      batches: fc.array(batch, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reset' as const), ...place, hour }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('credit' as const),
      ...place,
      hour,
      units: fc.integer({ min: -6, max: 12 }),
      rollover: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('add meter' as const),
      name: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      aggregation,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('change meter' as const),
      meter: place.meter,
      name: fc.option(fc.constantFrom('x', 'y'), { nil: undefined }),
      aggregation,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('archive' as const), meter: place.meter, wanted: fc.boolean() }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('name' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const filterOf = (name: string | undefined) => (name ? named(name) : { conjunction: 'and', clauses: [] });

/** One organization, run side by side with its reference. */
async function play(pool: readonly Drawn[], steps: readonly Step[]): Promise<void> {
  const organization = newId();
  const as = organizationToken(organization);
  const reference = new Reference();
  const known = await world.addCustomer({ organization_id: organization });
  const late = { id: newId(), external_id: `late-${organization}` };
  const customers = { known: known.id, late: late.id };
  const meters: (ReferenceMeter & { id: string; archivedFrom?: number })[] = [];

  const patch = async (id: string, body: object) => {
    const answer = await world.service.request('PATCH', `/v1/meters/${id}`, { as, body });
    expect(answer.status).toBe(200);
  };

  const ingest = async (batches: readonly (readonly number[])[]) => {
    const answers = await Promise.all(
      batches.map((numbers) =>
        world.ingest(
          numbers.map((number) => wireOf(pool[number]!, `event-${number}`)),
          as,
        ),
      ),
    );
    const stored = batches
      .flat()
      .filter((number) => reference.store(plain(pool[number]!), `event-${number}`));
    const told = answers.reduce((sum, answer) => sum + answer.inserted, 0);
    expect([told, answers.reduce((sum, answer) => sum + answer.duplicates, 0)]).toEqual([
      stored.length,
      batches.flat().length - stored.length,
    ]);
  };

  const wireOf = ({ name, who, hour: hours, tokens, tag }: Drawn, external_id: string) => ({
    name,
    external_id,
    timestamp: new Date(instant(hours)).toISOString(),
    ...(who === 'known' ? { customer_id: known.id } : { external_customer_id: late.external_id }),
    metadata: { ...(tokens === undefined ? {} : { tokens: Number(tokens) }), ...(tag ? { tag } : {}) },
  });
  const plain = (drawn: Drawn): ReferenceEvent => ({
    ...drawn,
    who: drawn.who === 'known' ? known.id : late.external_id,
    timestamp: instant(drawn.hour),
  });

  const perform: { [K in Step['do']]: (step: Extract<Step, { do: K }>) => Promise<void> } = {
    ingest: (one) => ingest(one.batches),
    async 'add meter'({ name, aggregation: how }) {
      if (meters.length === 3) return;
      const answer = await world.service.request('POST', '/v1/meters/', {
        as,
        body: { name: 'Some meter', filter: filterOf(name), aggregation: how },
      });
      meters.push({ id: answer.body.id, name, aggregation: how, gaps: [] });
    },
    async 'change meter'({ meter: number, name, aggregation: how }) {
      const meter = meters[number];
      if (!meter) return;
      Object.assign(meter, { name, aggregation: how });
      await patch(meter.id, { filter: filterOf(name), aggregation: how });
    },
    async archive({ meter: number, wanted }) {
      const meter = meters[number];
      if (!meter) return;
      await patch(meter.id, { is_archived: wanted });
      const open = meter.gaps.findIndex((gap) => gap.to === Number.POSITIVE_INFINITY);
      if (wanted && open < 0)
        meter.gaps.push({ from: reference.events.length, to: Number.POSITIVE_INFINITY });
      if (!wanted && open >= 0) meter.gaps[open]!.to = reference.events.length;
    },
    async name() {
      await world.addCustomer({ ...late, organization_id: organization });
      reference.name(late.external_id, late.id);
    },
    async credit({ meter: number, who, hour: hours, units, rollover }) {
      const meter = meters[number];
      if (!meter) return;
      const customer = customers[who as 'known' | 'late'];
      const occasion = occasionOf(meter.id, customer, hours);
      await inTransaction(world.app.db, (tx) =>
        creditMeter(tx, occasion, { units, rollover, benefit_grant_id: null }, world.clock.now()),
      );
      reference.credit(meter.id + customer, { timestamp: instant(hours), units, rollover });
    },
    async reset({ meter: number, who, hour: hours }) {
      const meter = meters[number];
      if (!meter) return;
      const customer = customers[who as 'known' | 'late'];
      await inTransaction(world.app.db, (tx) =>
        resetMeter(tx, occasionOf(meter.id, customer, hours), world.clock.now()),
      );
      reference.reset(meter.id + customer, customer, meter, instant(hours));
    },
  };
  const occasionOf = (meter_id: string, customer_id: string, hours: number) => ({
    organization_id: organization,
    customer_id,
    external_customer_id: null,
    meter_id,
    timestamp: new Date(instant(hours)),
  });

  /** What billing is told about spans that need not be periods. */
  const checkUsage = async () => {
    for (const meter of meters) {
      for (const customer of Object.values(customers)) {
        for (const [from, to] of SPANS) {
          const [start, end] = [new Date(instant(from)), new Date(instant(to))];
          const [usage] = await readUsage(world.app.db.manager, {
            customer_id: customer,
            periods: [{ meter_id: meter.id, start, end }],
          });
          const expected = reference.usageOf(
            meter.id + customer,
            customer,
            meter,
            instant(from),
            instant(to),
          );
          expect({
            span: [from, to],
            func: meter.aggregation.func,
            consumed: Number(usage!.consumed_units),
            credited: usage!.credited_units,
          }).toEqual({ span: [from, to], func: meter.aggregation.func, ...expected });
        }
      }
    }
  };

  for (const one of steps) {
    await (perform[one.do] as (step: Step) => Promise<void>)(one);
    for (const meter of meters) {
      for (const customer of Object.values(customers)) {
        const expected = reference.balanceOf(meter.id + customer, customer, meter);
        const [row] = await world.app.db.query(
          `select ${CUSTOMER_METER_COLUMNS} from customer_meters row join meters meter on meter.id = row.meter_id
           where row.meter_id = $1 and row.customer_id = $2`,
          [meter.id, customer],
        );
        const { consumed_units = 0, credited_units = 0, balance = 0 } = row ?? {};
        expect({
          step: one.do,
          consumed: Number(consumed_units),
          credited: credited_units,
          balance: Math.round(Number(balance) * 1e6),
        }).toEqual({ step: one.do, ...expected, balance: Math.round(expected.balance * 1e6) });
      }
    }
  }
  await checkUsage();
}

test('any sequence of ingests, credits, resets and meter changes leaves the balances of a full recount', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(event, { minLength: 15, maxLength: 15 }),
      fc.array(step, { minLength: 4, maxLength: 25 }),
      async (pool, steps) => {
        await play(pool, [{ do: 'add meter', name: 'x', aggregation: { func: 'count' } }, ...steps]);
      },
    ),
    { numRuns: 40, interruptAfterTimeLimit: 90_000, markInterruptAsFailure: true },
  );
}, 120_000);
