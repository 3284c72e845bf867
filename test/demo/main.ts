import { apiClient } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import { explain, readCredentials } from './credentials.ts';

/** `npm run demo`: plays the first sale against a running `npm start` and prints each step. */
const credentials = readCredentials();
const merchant = apiClient({ baseUrl: credentials.base_url, token: credentials.organization_access_token });
const webhooks = await startWebhookReceiver();
try {
  const startedAt = performance.now();
  await firstSale({
    merchant,
    webhooks,
    tell: (step, detail) => console.log(`${step.padEnd(18)}${detail}`),
  });
  console.log(`done in ${Math.round(performance.now() - startedAt)} ms`);
} catch (error) {
  console.error(explain(error, credentials.base_url));
  process.exitCode = 1;
} finally {
  await webhooks.stop();
}
