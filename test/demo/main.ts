import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { apiClient } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';

/** `npm run demo`: plays the first sale against a running `npm start` and prints each step. */
const home = process.env.TRIBUTARY_HOME ?? join(import.meta.dirname, '../../.tributary');
const credentials = readCredentials(join(home, 'credentials.json'));
const merchant = apiClient({ baseUrl: credentials.base_url, token: credentials.organization_access_token });
const webhooks = await startWebhookReceiver();
try {
  const startedAt = performance.now();
  await firstSale({ merchant, webhooks, tell: (step, detail) => console.log(`${step.padEnd(18)}${detail}`) });
  console.log(`done in ${Math.round(performance.now() - startedAt)} ms`);
} catch (error) {
  console.error(
    error instanceof TypeError
      ? `no platform answers at ${credentials.base_url}: run npm start first`
      : String(error),
  );
  process.exitCode = 1;
} finally {
  await webhooks.stop();
}

function readCredentials(path: string): { base_url: string; organization_access_token: string } {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    console.error(`no ${path}: run npm start first`);
    process.exit(1);
  }
}
