import { describeWithKafka } from '@tributary/runtime/testing/servers/kafka.ts';
import { atOnce, inTurn } from './faults/fault.ts';
import { killProcess } from './faults/kill-process.ts';
import {
  killConsumer,
  killGatewayMidRequest,
  killMidRequest,
  killRelay,
} from './faults/kill-while-writing.ts';
import { repeatMessages } from './faults/repeat-messages.ts';
import { createMerchant, type Merchant } from './merchant.ts';
import { type ChaosPlatform, startChaosPlatform } from './platform.ts';
import { randomFrom } from './random.ts';
import { outcomeLines } from './report.ts';
import { isPassed, run } from './run.ts';

/** For everything that is waited for, on a machine that is busy with other tests. */
const TIMEOUT_MS = 480_000;

/** Repeats a run: `CHAOS_SEED=… npm test test/chaos`. */
const seed = Number(process.env.CHAOS_SEED ?? Date.now() % 1_000_000);

const fault = inTurn([
  atOnce([killRelay('commerce', 1), killConsumer('catalog', 'outbox', 1)]),
  atOnce([killGatewayMidRequest('commerce', 'outbox', 1), killProcess('metering', 1)]),
  atOnce([killMidRequest('commerce', 'outbox', 1), killProcess('notifications', 1)]),
  repeatMessages(),
]);

// Asked for its word on whether Kafka can be had; the platform has a broker of its own.
describeWithKafka(`nothing is lost and nothing doubled (seed ${seed})`, () => {
  let platform: ChaosPlatform | undefined;
  let merchant: Merchant | undefined;
  beforeAll(async () => {
    platform = await startChaosPlatform();
    merchant = await createMerchant(platform);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await merchant?.stop();
    await platform?.stop();
  }, TIMEOUT_MS);

  test(
    'when processes die between publish and delete, handling and commit, request and answer, and messages come thrice',
    async () => {
      const { outcome, load } = await run('short form', fault, {
        platform: platform!,
        merchant: merchant!,
        random: randomFrom(seed, 'short form'),
        crowd: { buyers: 2, ingesters: 1, pauseMs: 50 },
        aroundMs: 500,
        patienceMs: 90_000,
        settleMs: 300_000,
      });
      expect([isPassed(outcome), ...outcomeLines(outcome)]).toEqual([true, expect.any(String)]);
      expect(outcome.kills).toBe(6);
      expect(load.record.purchases.length).toBeGreaterThan(0);
      expect(load.record.events.length).toBeGreaterThan(0);
    },
    TIMEOUT_MS,
  );
});
