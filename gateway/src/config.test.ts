import { ConfigError } from '@tributary/runtime/config.ts';
import { gatewayConfig } from './config.ts';

const environment = {
  PORT: '8080',
  PUBLIC_URL: 'https://api.example',
  INTERNAL_SECRET: 'x'.repeat(32),
  ENVIRONMENT: 'production',
  IDENTITY_GRPC: 'identity:9090',
  IDENTITY_URL: 'http://identity:8080',
  CATALOG_URL: 'http://catalog:8080/',
};
const names = ['identity', 'catalog'];

test('what is not said has its default', () => {
  expect(gatewayConfig(environment, names)).toMatchObject({
    services: { identity: 'http://identity:8080', catalog: 'http://catalog:8080' },
    corsOrigins: [],
    trustedProxies: 0,
    rateLimitFactor: 1,
    elevatedCallers: [],
    drainMs: 5_000,
    listenHost: '0.0.0.0',
    redisUrl: undefined,
    kafkaBrokers: undefined,
  });
});

test('origins are a list', () => {
  const config = gatewayConfig(
    { ...environment, CORS_ORIGINS: 'https://a.example, http://b.example:8000' },
    names,
  );
  expect(config.corsOrigins).toEqual(['https://a.example', 'http://b.example:8000']);
});

test('callers of elevated rank are a list of names', () => {
  const one = 'organization:00000000-0000-4000-8000-000000000001';
  const other = 'client:trb_ci_1:00000000-0000-4000-8000-000000000002';
  const { elevatedCallers } = gatewayConfig({ ...environment, ELEVATED_CALLERS: `${one}, ${other}` }, names);
  expect(elevatedCallers).toEqual([one, other]);
});

test.each([
  ['ELEVATED_CALLERS', 'everybody'],
  ['CATALOG_URL', ''],
  ['CATALOG_URL', 'catalog:8080'],
  ['CORS_ORIGINS', 'https://a.example/path'],
  ['CORS_ORIGINS', '*'],
  ['TRUSTED_PROXIES', '-1'],
  ['RATE_LIMIT_FACTOR', '0'],
  ['IDENTITY_GRPC', 'http://identity'],
])('%s="%s" is refused by name', (name, value) => {
  expect(() => gatewayConfig({ ...environment, [name]: value }, names)).toThrow(ConfigError);
  expect(() => gatewayConfig({ ...environment, [name]: value }, names)).toThrow(name);
});
