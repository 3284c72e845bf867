import { setTimeout as pause } from 'node:timers/promises';
import { type Api, apiClient, expectStatus } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import { startLoadPlatform } from './load-platform.ts';
import { percentile } from './percentile.ts';
import { statementCounter } from './statement-counter.ts';

/**
 * `npm run load:story -- [purchases]`: the SQL statements of each step of the first sale, then how long purchases
 * take from confirm to order paid to benefits granted, over Kafka.
 */
const PURCHASES = Number(process.argv[2] ?? 100);
const POLL_MS = 5;
const WAIT_MS = 30_000;
/** What a step set in motion behind its answer is counted to that step. */
const SETTLE_MS = 1_000;

const platform = await startLoadPlatform({ kafka: true });
const merchant = apiClient({ baseUrl: platform.baseUrl, token: platform.organizationToken });
const webhooks = await startWebhookReceiver();
try {
  const sale = await countStatements();
  await timePurchases(sale.product.id);
} finally {
  await webhooks.stop();
  await platform.stop();
}

async function countStatements() {
  const counter = await statementCounter(platform.postgresUrl);
  console.log('SQL statements by step, without what an idle platform sends in the same time');
  const tell = async (step: string) => {
    await pause(SETTLE_MS);
    console.log(`  ${step.padEnd(20)}${String(await counter.sinceLast()).padStart(6)}`);
  };
  const sale = await firstSale({ merchant, webhooks, tell });
  await counter.stop();
  return sale;
}

async function timePurchases(productId: string) {
  const paid: number[] = [];
  const granted: number[] = [];
  for (let number = 0; number < PURCHASES; number += 1) {
    const times = await timeOnePurchase(productId, number);
    paid.push(times.paid);
    granted.push(times.granted);
  }
  console.log(`\n${PURCHASES} purchases, one after the other, ms from the confirmation's start`);
  for (const [what, times] of [
    ['order paid', paid],
    ['benefits granted', granted],
  ] as const) {
    console.log(
      `  ${what.padEnd(20)}p50 ${percentile(times, 50).toFixed(0)}  p99 ${percentile(times, 99).toFixed(0)}`,
    );
  }
}

async function timeOnePurchase(productId: string, number: number) {
  const external_customer_id = `load-${number}`;
  const checkout = expectStatus(
    await merchant.post('/v1/checkouts/', { products: [productId], external_customer_id }),
    201,
  );
  const buyer = merchant.as(undefined);
  const path = `/v1/checkouts/client/${checkout.client_secret}`;
  const customer_billing_address = {
    country: 'US',
    state: 'US-NY',
    line1: '1 Main St',
    city: 'New York',
    postal_code: '10001',
  };
  const details = {
    customer_name: 'Load',
    customer_email: `load-${number}@example.com`,
    customer_billing_address,
  };
  expectStatus(await buyer.patch(path, details), 200);
  const startedAt = performance.now();
  expectStatus(await buyer.post(`${path}/confirm`, { confirmation_token_id: 'tok_visa' }), 200);
  await until(merchant, `/v1/orders/?external_customer_id=${external_customer_id}&status=paid`, 1);
  const paid = performance.now() - startedAt;
  await until(
    merchant,
    `/v1/benefit-grants/?external_customer_id=${external_customer_id}&is_granted=true`,
    2,
  );
  return { paid, granted: performance.now() - startedAt };
}

async function until(api: Api, path: string, count: number): Promise<void> {
  const startedAt = performance.now();
  while (expectStatus(await api.get(path), 200).items.length < count) {
    if (performance.now() - startedAt > WAIT_MS) throw new Error(`${path}: not within ${WAIT_MS} ms`);
    await pause(POLL_MS);
  }
}
