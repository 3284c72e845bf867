import { ConfigError, readConfig } from '@tributary/runtime/config.ts';
import { mayReachLoopback, notificationsShape } from './config.ts';

const environment = {
  PUBLIC_URL: 'https://example.com',
  INTERNAL_SECRET: 'x'.repeat(32),
  ENVIRONMENT: 'production',
  DATABASE_URL: 'postgres://localhost/notifications',
  KAFKA_BROKERS: 'localhost:9092',
  IDENTITY_GRPC: 'localhost:9090',
};
const read = (more: Record<string, string> = {}) =>
  readConfig(notificationsShape, { ...environment, ...more });

test('webhooks reach public addresses only, unless a sandbox says otherwise', () => {
  expect(mayReachLoopback(read())).toBe(false);
  expect(mayReachLoopback(read({ ENVIRONMENT: 'sandbox' }))).toBe(false);
  expect(mayReachLoopback(read({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_LOOPBACK: 'true' }))).toBe(true);
  expect(() => mayReachLoopback(read({ WEBHOOK_ALLOW_LOOPBACK: 'true' }))).toThrow(ConfigError);
});

test.each([
  ['WEBHOOK_ALLOW_LOOPBACK', 'yes'],
  ['SEALING_SECRET', 'short'],
  ['SMTP_URL', 'http://mail.example.com'],
])('%s "%s" is refused', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
