import {
  address,
  ConfigError,
  type Environment,
  grpcPeers,
  httpUrl,
  integer,
  port,
  readConfig,
  secret,
  serviceShape,
  text,
} from './config.ts';

const complete: Environment = {
  PORT: '4001',
  GRPC_PORT: '5001',
  DATABASE_URL: 'postgres://shop:pw@localhost:5432/shop',
  KAFKA_BROKERS: 'kafka-1:9092, kafka-2:9092',
  INTERNAL_SECRET: 's'.repeat(32),
  PUBLIC_URL: 'https://shop.example/',
  ENVIRONMENT: 'sandbox',
};

const fault = (environment: Environment, shape: Parameters<typeof readConfig>[0] = serviceShape): string => {
  try {
    readConfig(shape, environment);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
  }
  throw new Error('the configuration was accepted');
};

test('a complete environment is read under camel-case names', () => {
  expect(
    readConfig(
      { ...serviceShape, ...grpcPeers('identity') },
      { ...complete, IDENTITY_GRPC: 'identity:5000' },
    ),
  ).toEqual({
    port: 4001,
    grpcPort: 5001,
    databaseUrl: complete.DATABASE_URL,
    drainMs: 5_000,
    databasePoolSize: 20,
    kafkaBrokers: ['kafka-1:9092', 'kafka-2:9092'],
    internalSecret: complete.INTERNAL_SECRET,
    publicUrl: 'https://shop.example',
    environment: 'sandbox',
    logLevel: 'info',
    otelExporterOtlpEndpoint: undefined,
    identityGrpc: 'identity:5000',
  });
});

test('names are typed', () => {
  const config = readConfig(
    { ...serviceShape, ...grpcPeers('identity', 'catalog') },
    { ...complete, IDENTITY_GRPC: 'a:1', CATALOG_GRPC: 'b:2' },
  );
  const addresses: string[] = [config.identityGrpc, config.catalogGrpc];
  const brokers: string[] = config.kafkaBrokers;
  // @ts-expect-error: not in the shape
  expect(config.commerceGrpc).toBeUndefined();
  expect([...addresses, ...brokers]).toEqual(['a:1', 'b:2', 'kafka-1:9092', 'kafka-2:9092']);
});

test('every fault is named, in one line', () => {
  expect(fault({ ...complete, PORT: '70000', DATABASE_URL: undefined, ENVIRONMENT: 'staging' })).toBe(
    'configuration: PORT must be a port number; ENVIRONMENT must be sandbox or production; DATABASE_URL is missing',
  );
});

test('a service alone without a broker is told that it needs one', () => {
  const message = fault({ ...complete, KAFKA_BROKERS: '' });
  expect(message).toContain('KAFKA_BROKERS is missing: a service started alone needs a Kafka broker');
  expect(message).not.toContain('\n');
});

test.each(['INTERNAL_SECRET', 'DATABASE_URL', 'PUBLIC_URL', 'ENVIRONMENT', 'KAFKA_BROKERS'])(
  '%s has no default',
  (name) => {
    expect(fault({ ...complete, [name]: undefined })).toContain(name);
  },
);

test('a value is never repeated, it may be a secret', () => {
  const message = fault({
    ...complete,
    INTERNAL_SECRET: 'hunter2',
    DATABASE_URL: 'mysql://shop:hunter3@db/shop',
  });
  expect(message).toContain('INTERNAL_SECRET must be at least 32 characters');
  expect(message).not.toMatch(/hunter/);
});

test('a configuration cannot be changed', () => {
  const config = readConfig({ PORT: port }, complete) as { port: number };
  expect(() => {
    config.port = 1;
  }).toThrow(TypeError);
});

test.each([
  [port, ['0', '80', '65535'], ['-1', '65536', '80a', ' 80', '1e3']],
  [
    address,
    ['localhost:1', '10.0.0.1:5000', '[::1]:9', 'a-b.c_d:1'],
    ['localhost', ':80', 'http://a:80', 'a:b', 'a:1,b:2'],
  ],
  [httpUrl, ['http://a', 'https://a/b'], ['ftp://a', 'a', '/a', 'http://']],
  [integer(1, 500), ['1', '500'], ['0', '501', '1.5', '-1', 'x']],
  [serviceShape.DATABASE_URL, ['postgres://a/b', 'postgresql:///b?host=/run'], ['http://a', 'b']],
  [serviceShape.KAFKA_BROKERS, ['a:1', 'a:1,b:2'], ['a', 'a:1,', 'a:1;b:2', Array(51).fill('a:1').join()]],
  [secret, ['x'.repeat(32)], ['x'.repeat(31)]],
  [text, ['a'], []],
])('%#: accepts %j and refuses %j', (schema, good, bad) => {
  for (const value of good) expect(schema.safeParse(value).success).toBe(true);
  for (const value of [...bad, undefined]) expect(schema.safeParse(value).success).toBe(false);
});
