import { describeWithKafka } from '@tributary/runtime/testing/servers/kafka.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../story/webhook-receiver.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

const TIMEOUT_MS = 180_000;

function story(start: () => Promise<TestPlatform>) {
  let platform: TestPlatform;
  let webhooks: WebhookReceiver;
  beforeAll(async () => {
    [platform, webhooks] = await Promise.all([start(), startWebhookReceiver()]);
  }, TIMEOUT_MS);
  afterAll(async () => {
    await platform?.stop();
    await webhooks?.stop();
  });

  test(
    'a product becomes a paid order, granted benefits, exact usage and a verified webhook',
    async () => {
      const sale = await firstSale({ merchant: platform.merchant, webhooks });
      expect(sale.order).toMatchObject({
        status: 'paid',
        paid: true,
        total_amount: 1_000,
        currency: 'usd',
      });
      expect(sale.subscription).toMatchObject({
        status: 'active',
        amount: 1_000,
        cancel_at_period_end: false,
      });
      expect(sale.key).toMatchObject({ status: 'granted', usage: 0, limit_activations: 3 });
      expect(webhooks.refused).toBe(0);
    },
    TIMEOUT_MS,
  );
}

describe('the first sale, messages passed within the process', () => story(() => startTestPlatform()));

describeWithKafka('the first sale, messages passed over Kafka', (brokers) =>
  story(async () => startTestPlatform({ kafkaBrokers: await brokers() })),
);
