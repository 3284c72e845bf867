import { createHmac } from 'node:crypto';

/**
 * The headers by which a receiver knows who sent a webhook and drops repeats (https://www.standardwebhooks.com). The
 * key is the secret's own text, prefix included: a Standard Webhooks library, which wants it in base64, is given
 * `base64(secret)`.
 * @param id the same on every attempt
 */
export function signedHeaders(
  secret: string,
  id: string,
  sentAt: Date,
  body: string,
): Record<string, string> {
  const timestamp = String(Math.floor(sentAt.getTime() / 1000));
  const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
