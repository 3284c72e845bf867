import { apiClient, expectStatus } from '../story/api.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import { explain, readCredentials } from './credentials.ts';

/** `npm run webhooks`: registers an endpoint on this machine and prints every delivery whose signature holds. */
const KINDS = [
  'checkout.updated',
  'order.paid',
  'subscription.active',
  'benefit_grant.created',
  'customer.created',
];

const credentials = readCredentials();
const merchant = apiClient({ baseUrl: credentials.base_url, token: credentials.organization_access_token });
const receiver = await startWebhookReceiver((webhook) =>
  console.log(`${webhook.timestamp}  ${webhook.type.padEnd(24)}${webhook.data.id ?? ''}  signature verified`),
);
try {
  const body = { url: receiver.url, format: 'raw', events: KINDS };
  const endpoint = expectStatus(await merchant.post('/v1/webhooks/endpoints', body), 201);
  receiver.trust(endpoint.secret);
  console.log(`listening on ${receiver.url} for ${KINDS.join(', ')}; Ctrl-C ends it`);
  await new Promise((resolve) => process.once('SIGINT', resolve).once('SIGTERM', resolve));
  expectStatus(await merchant.delete(`/v1/webhooks/endpoints/${endpoint.id}`), 204);
} catch (error) {
  console.error(explain(error, credentials.base_url));
  process.exitCode = 1;
} finally {
  await receiver.stop();
}
