import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signedHeaders } from './signature.ts';

const SECRET = 'whsec_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG';
const ID = '01900000-0000-4000-8000-000000000001';
const BODY = JSON.stringify({ type: 'order.paid', data: { name: 'Zoë 🎉', amount: 1000 } });

test('a Standard Webhooks library accepts the signature with the secret in base64', () => {
  const headers = signedHeaders(SECRET, ID, new Date(), BODY);
  expect(new Webhook(Buffer.from(SECRET).toString('base64')).verify(BODY, headers)).toEqual(JSON.parse(BODY));
});

test('the key is the UTF-8 text of the whole secret', () => {
  const headers = signedHeaders(SECRET, ID, new Date('2026-01-15T12:00:00.999Z'), BODY);
  const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8'))
    .update(`${ID}.1768478400.${BODY}`)
    .digest('base64');
  expect(headers).toEqual({
    'webhook-id': ID,
    'webhook-timestamp': '1768478400',
    'webhook-signature': `v1,${expected}`,
  });
});

test('a library refuses another secret, another body and a stale time', () => {
  const verifier = new Webhook(Buffer.from(SECRET).toString('base64'));
  const headers = signedHeaders(SECRET, ID, new Date(), BODY);
  expect(() => verifier.verify(`${BODY} `, headers)).toThrow();
  expect(() => verifier.verify(BODY, signedHeaders(`${SECRET}x`, ID, new Date(), BODY))).toThrow();
  const stale = new Date(Date.now() - 10 * 60_000);
  expect(() => verifier.verify(BODY, signedHeaders(SECRET, ID, stale, BODY))).toThrow();
});
