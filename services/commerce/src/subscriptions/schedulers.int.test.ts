import fc from 'fast-check';
import { collectionJob } from '../collections/jobs.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, meterCopy, metered } from '../testing/copies.ts';
import { cycleJob } from './jobs.ts';

let shop: CommerceUnderTest;
let given: Pick<CommerceUnderTest['app'], 'processor' | 'metering'>;
beforeAll(async () => {
  shop = await commerceUnderTest();
  given = { processor: shop.app.processor, metering: shop.app.metering };
});
afterAll(() => shop.stop());

const START = '2026-01-31T10:00:00.000Z';
const UNIT_PRICE = 3;
const MONTHLY_PRICE = 1_000;

/** Something that happens to a subscription while time goes by. */
type Step =
  | { kind: 'wait'; hours: number }
  | { kind: 'use'; units: number }
  | { kind: 'schedulers'; count: number }
  | { kind: 'collectors'; count: number }
  /** The next charge goes through, and the process dies before it can say so. */
  | { kind: 'crash' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 1_200 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('use' as const), units: fc.integer({ min: 1, max: 500 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('schedulers' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('collectors' as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'crash' as const }) },
);

/** A monthly subscription with usage whose owner always pays; returns what its life may be played with. */
async function begin() {
  Object.assign(shop.app, given);
  shop.clock.set(START);
  const meter = meterCopy({ organization_id: shop.organization.id });
  shop.put('meters', meter);
  const prices = [fixed(MONTHLY_PRICE), metered(meter, String(UNIT_PRICE))];
  const { customer_id } = await shop.buy(shop.product({ recurring_interval: 'month', prices }).id);
  const [{ id }] = (await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`)).items;
  const usage: { at: Date; units: number }[] = [];
  let crashes = 0;
  const { processor } = given;
  shop.app.metering = {
    ...given.metering,
    getUsage: async ({ periods }) => ({
      usages: periods.map(({ meter_id, start, end }) => {
        const inside = usage.filter(({ at }) => at >= start! && at < end!);
        const consumed = inside.reduce((sum, { units }) => sum + units, 0);
        return { meter_id, consumed_units: String(consumed), credited_units: 0 };
      }),
    }),
  };
  shop.app.processor = {
    ...processor,
    async charge(key, method, sum) {
      const outcome = await processor.charge(key, method, sum);
      if (crashes === 0) return outcome;
      crashes -= 1;
      throw new Error('the process died');
    },
  };
  return {
    id: id as string,
    usage,
    crash: () => {
      crashes += 1;
    },
    settle: () => {
      crashes = 0;
    },
  };
}
async function untilDone(job: typeof cycleJob) {
  while (await job.run(shop.app, shop.clock.now()));
}

test('whatever schedulers do, every period is billed once, for what it cost, and paid once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
      const life = await begin();
      for (const one of steps) {
        if (one.kind === 'wait') shop.clock.advance({ hours: one.hours });
        else if (one.kind === 'use') life.usage.push({ at: shop.clock.now(), units: one.units });
        else if (one.kind === 'crash') life.crash();
        else {
          const job = one.kind === 'schedulers' ? cycleJob : collectionJob;
          await Promise.all(Array.from({ length: one.count }, () => job.run(shop.app, shop.clock.now())));
        }
      }
      life.settle();
      shop.clock.advance({ minutes: 5 });
      await untilDone(cycleJob);
      await untilDone(collectionJob);
      shop.clock.advance({ minutes: 5 });
      await untilDone(collectionJob);
      await expectExactBooks(life);
    }),
    { numRuns: 25 },
  );
}, 120_000);

async function expectExactBooks({ id, usage }: Awaited<ReturnType<typeof begin>>) {
  const subscription = await shop.ok('GET', `/v1/subscriptions/${id}`);
  const periods: { period_start: Date; order_id: string }[] = await shop.app.db.query(
    'select period_start, order_id from billed_periods where subscription_id = $1 order by period_start',
    [id],
  );
  expect(new Date(subscription.current_period_end) > shop.clock.now()).toBe(true);
  const starts = [new Date(START), ...periods.map(({ period_start }) => period_start)];
  expect(starts.at(-1)?.toISOString()).toBe(subscription.current_period_start);
  for (const [index, { period_start, order_id }] of periods.entries()) {
    const ofPeriod = usage.filter(({ at }) => at >= starts[index]! && at < period_start);
    const units = ofPeriod.reduce((sum, one) => sum + one.units, 0);
    const order = await shop.ok('GET', `/v1/orders/${order_id}`);
    expect(order).toMatchObject({ status: 'paid', total_amount: MONTHLY_PRICE + units * UNIT_PRICE });
    const payments = await shop.app.db.query(
      `select amount from payments where order_id = $1 and status = 'succeeded'`,
      [order_id],
    );
    expect(payments).toEqual([{ amount: order.total_amount }]);
    const charges = await shop.app.db.query('select amount from sandbox_intents where key like $1', [
      `order:${order_id}:%`,
    ]);
    expect(charges).toEqual([{ amount: order.total_amount }]);
  }
}
