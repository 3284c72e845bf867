import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv, type Options } from 'ajv';
import addFormats from 'ajv-formats';
import { asyncApiDocument, renderAsyncApi } from './asyncapi.ts';
import { componentSchemas, eventSchemaName } from './asyncapi-schemas.ts';
import { toHeaders } from './cloud-events.ts';
import { emailCommand, stateChanged, tokenRevoked, webhookEvent } from './message.ts';
import { systemEventNames } from './system-events.ts';
import { allTopics } from './topics.ts';

const document = JSON.parse(renderAsyncApi());

function ajv(options: Options = {}): Ajv {
  const instance = new Ajv({ strict: false, ...options });
  addFormats.default(instance);
  return instance;
}

const shapes = ajv().addSchema({ components: { schemas: componentSchemas() } }, 'shapes');

/** Checks `value`, as it would travel, with one of the document's own message shapes. */
function accepts(name: string, value: unknown): boolean {
  return shapes.validate({ $ref: `shapes#/components/schemas/${name}` }, JSON.parse(JSON.stringify(value)));
}

test('is an AsyncAPI 3.0 document', () => {
  const specification = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0.json');
  // The schema brings its own copy of draft 7, which must not meet the built-in one.
  const validator = ajv({ meta: false, validateSchema: false });
  const validate = validator.compile(JSON.parse(readFileSync(specification, 'utf8')));
  validate(document);
  expect(validate.errors ?? []).toEqual([]);
});

test('every reference leads somewhere', () => {
  const found: string[] = [];
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') found.push(value);
    return value;
  });
  expect(found.length).toBeGreaterThan(100);
  for (const reference of found) {
    const target = reference
      .slice(2)
      .split('/')
      .reduce((node, key) => node?.[key], document);
    expect([reference, target]).toEqual([reference, expect.any(Object)]);
  }
});

test('every topic is a channel with its partitions and cleanup policy', () => {
  const channels = Object.values<{ address: string; bindings: { kafka: object } }>(document.channels);
  expect(channels.map((channel) => channel.address).toSorted()).toEqual(
    allTopics.map((topic) => topic.name).toSorted(),
  );
  for (const topic of allTopics) {
    expect(channels.find((channel) => channel.address === topic.name)?.bindings.kafka).toMatchObject({
      partitions: topic.partitions,
      topicConfiguration: { 'cleanup.policy': [topic.cleanupPolicy] },
    });
  }
});

test.each(systemEventNames)('the example of %s fits the published shape', (name) => {
  const { examples } = document.components.messages[name.replace('.', '_')];
  expect(examples).toHaveLength(1);
  expect(accepts(eventSchemaName(name), examples[0].payload)).toBe(true);
  expect(accepts(eventSchemaName(name), { ...examples[0].payload, added_later: true })).toBe(true);
  expect(accepts(eventSchemaName(name), { ...examples[0].payload, metadata: {} })).toBe(false);
});

test('the other messages fit their published shapes', () => {
  const id = '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809';
  expect(accepts('RecordState', stateChanged('customers', id, { id, name: 'Ada' }).value)).toBe(true);
  expect(accepts('Tombstone', null)).toBe(true);
  expect(accepts('TokenRevocation', tokenRevoked('9f86d081').value)).toBe(true);
  expect(accepts('WebhookEvent', webhookEvent('order.paid', id, { id }, new Date(0)).value)).toBe(true);
  expect(
    accepts(
      'EmailCommand',
      emailCommand({ organization_id: null, to: 'a@b.c', template: 't', data: {} }).value,
    ),
  ).toBe(true);
});

test('the headers that are written fit the published ones', () => {
  const attributes = {
    id: '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809',
    type: 'order.paid',
    source: '/tributary/commerce',
  };
  const headers = toHeaders({ ...attributes, time: new Date(0), subject: null, traceparent: null });
  expect(accepts('MessageHeaders', headers)).toBe(true);
});

test('is the same on every run, with sorted keys', () => {
  expect(renderAsyncApi()).toBe(renderAsyncApi());
  expect(document).toEqual(asyncApiDocument());
  expect(Object.keys(document)).toEqual(Object.keys(document).toSorted());
});

test('the committed document is current', () => {
  expect(readFileSync(new URL('./asyncapi.gen.json', import.meta.url), 'utf8')).toBe(renderAsyncApi());
});
