import { componentSchemas, eventSchemaName, type Json, schemaRef } from './asyncapi-schemas.ts';
import { EMAIL_TYPE } from './emails.ts';
import { type SystemEventContext, systemEvent } from './message.ts';
import { systemEventExamples } from './system/examples.ts';
import { familyOf, labelOf, type SystemEventName, systemEventNames } from './system-events.ts';
import { TOKEN_REVOKED_TYPE } from './tokens.ts';
import {
  allTopics,
  emailsTopic,
  eventFamilies,
  eventTopics,
  stateResources,
  stateTopics,
  type Topic,
  tokensTopic,
  webhooksTopic,
} from './topics.ts';

interface MessageKind {
  readonly name: string;
  readonly title: string;
  readonly schema: string;
  readonly summary: string;
  readonly key: Json;
  readonly examples?: readonly object[];
}

const RECORD_KEY = { type: 'string', format: 'uuid' };
const BINDING_VERSION = '0.5.0';

const EXAMPLE_ID = '3b1f8a52-6c0d-4e9b-8f27-d5a4c6e7b809';
const exampleContext: SystemEventContext<SystemEventName> = {
  organization_id: '5c2e9b63-7d1e-4fac-9038-e6b5d7f8c91a',
  customer_id: systemEventExamples['customer.created'].customer_id,
  external_customer_id: systemEventExamples['customer.created'].customer_external_id,
  timestamp: new Date('2026-04-01T09:30:00.000Z'),
};

/** Messages of each topic, by the topic's name. */
const messagesOf: ReadonlyMap<string, readonly MessageKind[]> = new Map([
  ...eventFamilies.map((family): [string, MessageKind[]] => [
    eventTopics[family].name,
    systemEventNames.filter((name) => familyOf(name) === family).map(systemEventKind),
  ]),
  ...stateResources.map((resource): [string, MessageKind[]] => [
    stateTopics[resource].name,
    [
      {
        name: `${resource}.changed`,
        title: `State of ${resource}`,
        schema: 'RecordState',
        summary: 'A record is new or changed; the value replaces what was known of it',
        key: RECORD_KEY,
      },
      {
        name: `${resource}.deleted`,
        title: `End of ${resource}`,
        schema: 'Tombstone',
        summary: 'A record is deleted; its key leaves the topic at the next compaction',
        key: RECORD_KEY,
      },
    ],
  ]),
  [
    webhooksTopic.name,
    [
      {
        name: 'webhook',
        title: 'Webhook event',
        schema: 'WebhookEvent',
        summary: "Something integrators' endpoints may have asked for; `ce_type` is the kind",
        key: RECORD_KEY,
      },
    ],
  ],
  [
    emailsTopic.name,
    [
      {
        name: EMAIL_TYPE,
        title: 'Mail',
        schema: 'EmailCommand',
        summary: 'An order to send one mail',
        key: { type: 'string', description: emailsTopic.key },
      },
    ],
  ],
  [
    tokensTopic.name,
    [
      {
        name: TOKEN_REVOKED_TYPE,
        title: 'Revoked token',
        schema: 'TokenRevocation',
        summary: 'A token is no longer good',
        key: { type: 'string', description: tokensTopic.key },
      },
    ],
  ],
]);

function systemEventKind(name: SystemEventName): MessageKind {
  return {
    name,
    title: labelOf(name),
    schema: eventSchemaName(name),
    summary: `\`${name}\` happened`,
    key: RECORD_KEY,
    examples: [
      { name, payload: systemEvent(name, exampleContext, systemEventExamples[name], EXAMPLE_ID).value },
    ],
  };
}

/** Services that read a topic as its only intended audience. */
const receivers: Readonly<Record<string, string>> = {
  [webhooksTopic.name]: 'notifications',
  [emailsTopic.name]: 'notifications',
};

/** Key of a topic or message in the document's maps: names there hold no dots. */
const keyOf = (name: string) => name.replace(/^tributary\./, '').replaceAll('.', '_');

/** The Kafka contract as an AsyncAPI 3.0 document (https://www.asyncapi.com/docs/reference/specification/v3.0.0). */
export function asyncApiDocument(): Json {
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Tributary messages',
      version: '2026-04',
      description:
        'What happened in Tributary, as Kafka messages: JSON values, CloudEvents 1.0 attributes in the headers. ' +
        'Delivery is at least once and in order per key. What a consumer gives up on is parked on the topic of the ' +
        'same name with `.dead` behind it.',
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    defaultContentType: 'application/json',
    servers: {
      kafka: {
        host: '{broker}',
        protocol: 'kafka',
        variables: {
          broker: { default: 'localhost:9092', description: 'Host and port of any broker of the cluster' },
        },
      },
    },
    channels: Object.fromEntries(allTopics.map((topic) => [keyOf(topic.name), channel(topic)])),
    operations: Object.fromEntries(allTopics.flatMap(operations)),
    components: { schemas: componentSchemas(), messages: messages() },
  };
}

/** The document as it is kept in the repository: keys sorted, so that equal contracts are equal bytes. */
export function renderAsyncApi(): string {
  return `${JSON.stringify(asyncApiDocument(), sortKeys, 2)}\n`;
}

function sortKeys(_key: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function channel(topic: Topic): Json {
  const kinds = messagesOf.get(topic.name) ?? [];
  return {
    address: topic.name,
    description: `${topic.about}. Key: ${topic.key}.`,
    messages: Object.fromEntries(
      kinds.map(({ name }) => [keyOf(name), { $ref: `#/components/messages/${keyOf(name)}` }]),
    ),
    bindings: {
      kafka: {
        topic: topic.name,
        partitions: topic.partitions,
        topicConfiguration: {
          'cleanup.policy': [topic.cleanupPolicy],
          'retention.ms': topic.retentionMs ?? -1,
          ...(topic.tombstoneRetentionMs === null
            ? {}
            : { 'delete.retention.ms': topic.tombstoneRetentionMs }),
        },
        bindingVersion: BINDING_VERSION,
      },
    },
  };
}

function operations(topic: Topic): [string, Json][] {
  const key = keyOf(topic.name);
  const channelRef = { $ref: `#/channels/${key}` };
  const receiver = receivers[topic.name];
  const send: [string, Json] = [`send_${key}`, { action: 'send', channel: channelRef, summary: topic.about }];
  if (receiver === undefined) return [send];
  const bindings = {
    kafka: { groupId: { type: 'string', const: receiver }, bindingVersion: BINDING_VERSION },
  };
  return [
    send,
    [`receive_${key}`, { action: 'receive', channel: channelRef, summary: topic.about, bindings }],
  ];
}

function messages(): Record<string, Json> {
  const kinds = [...messagesOf.values()].flat();
  return Object.fromEntries(
    kinds.map(({ name, title, schema, summary, key, examples }) => [
      keyOf(name),
      {
        name,
        title,
        summary,
        contentType: 'application/json',
        headers: schemaRef('MessageHeaders'),
        payload: schemaRef(schema),
        bindings: { kafka: { key, bindingVersion: BINDING_VERSION } },
        ...(examples === undefined ? {} : { examples }),
      },
    ]),
  );
}
