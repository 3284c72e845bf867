import { ConfigError, readConfig } from '@tributary/runtime/config.ts';
import { mayReachPrivate, notificationsShape } from './config.ts';

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
  expect(mayReachPrivate(read())).toBe(false);
  expect(mayReachPrivate(read({ ENVIRONMENT: 'sandbox' }))).toBe(false);
  expect(mayReachPrivate(read({ ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_PRIVATE: 'true' }))).toBe(true);
  expect(() => mayReachPrivate(read({ WEBHOOK_ALLOW_PRIVATE: 'true' }))).toThrow(ConfigError);
});

test.each([
  ['WEBHOOK_ALLOW_PRIVATE', 'yes'],
  ['SEALING_SECRET', 'short'],
  ['SMTP_URL', 'http://mail.example.com'],
])('%s "%s" is refused', (name, value) => {
  expect(() => read({ [name]: value })).toThrow(name);
});
