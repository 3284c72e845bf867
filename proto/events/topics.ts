/** One Kafka topic, as it must be created and as its readers may rely on it. */
export interface Topic {
  readonly name: string;
  readonly about: string;
  /** What the message key is. Messages with one key stay in order; nothing is promised across keys. */
  readonly key: string;
  /** Fixed for the life of the topic: another number would send a key's next message to another partition. */
  readonly partitions: number;
  readonly cleanupPolicy: 'delete' | 'compact';
  /** How long a message is kept, in milliseconds; null where compaction keeps the newest of each key for good. */
  readonly retentionMs: number | null;
  /** How long a value may outlive its replacement, in milliseconds; null on topics without compaction. */
  readonly maxCompactionLagMs: number | null;
  /** How long the mark of a deleted key stays readable, in milliseconds; null on topics without compaction. */
  readonly tombstoneRetentionMs: number | null;
}

const DAY_MS = 24 * 60 * 60 * 1000;

export const eventFamilies = [
  'meter',
  'benefit',
  'subscription',
  'order',
  'checkout',
  'customer',
  'balance',
] as const;
export type EventFamily = (typeof eventFamilies)[number];

/** Resources whose current state is published for other services' read-only copies. */
export const stateResources = [
  'organizations',
  'customers',
  'members',
  'products',
  'benefits',
  'benefit_grants',
  'meters',
  'customer_meters',
  'first_user_events',
  'subscriptions',
  'customer_seats',
] as const;
export type StateResource = (typeof stateResources)[number];

const kept = (days: number) =>
  ({
    cleanupPolicy: 'delete',
    retentionMs: days * DAY_MS,
    maxCompactionLagMs: null,
    tombstoneRetentionMs: null,
  }) as const;

/** Left alone, a quiet topic would keep for good what was said of a person who has since been forgotten. */
const compacted = {
  cleanupPolicy: 'compact',
  retentionMs: null,
  maxCompactionLagMs: 7 * DAY_MS,
  tombstoneRetentionMs: 7 * DAY_MS,
} as const;

const eventTopic = (family: EventFamily): Topic => ({
  name: `tributary.events.${family}`,
  about: `System events whose name starts with \`${family}.\`: what happened to a customer`,
  key: family === 'checkout' ? 'Customer id; checkout id while there is no customer' : 'Customer id',
  partitions: 12,
  ...kept(30),
});

const stateTopic = (resource: StateResource): Topic => ({
  name: `tributary.state.${resource}`,
  about: `The newest state of every record of \`${resource}\`, as the HTTP API presents it; no value once it is deleted`,
  key: 'Id of the record',
  partitions: 6,
  ...compacted,
});

const byName = <N extends string>(names: readonly N[], topicOf: (name: N) => Topic) =>
  Object.fromEntries(names.map((name) => [name, topicOf(name)])) as Readonly<Record<N, Topic>>;

/** The topic of each family of system events. */
export const eventTopics = byName(eventFamilies, eventTopic);

/** The compacted topic of each resource that other services copy. */
export const stateTopics = byName(stateResources, stateTopic);

/** What integrators' webhook endpoints are told, before it is matched with endpoints. */
export const webhooksTopic: Topic = {
  name: 'tributary.webhooks',
  about: "Webhook events, complete with the body's data; delivery picks the endpoints that want them",
  key: 'Organization id',
  partitions: 12,
  ...kept(7),
};

/** Orders to send one mail. */
export const emailsTopic: Topic = {
  name: 'tributary.emails',
  about: 'Mails to be sent: recipient, template and what the template needs',
  key: "Recipient's address in lower case",
  partitions: 6,
  ...kept(7),
};

/** Access tokens that are no longer good, so that nobody goes on trusting a cached one. */
export const tokensTopic: Topic = {
  name: 'tributary.tokens',
  about: 'Revoked tokens, by their id',
  key: 'Id of the token',
  partitions: 1,
  ...kept(1),
};

/** Every topic that services write to; each also has its {@link deadTopic}. */
export const allTopics: readonly Topic[] = [
  ...Object.values(eventTopics),
  ...Object.values(stateTopics),
  webhooksTopic,
  emailsTopic,
  tokensTopic,
];

const DEAD_SUFFIX = '.dead';

/** Where a consumer parks what it could not handle: the topic's name with `.dead` behind it, same key and value. */
export function deadTopic(topic: Topic): Topic {
  return {
    ...kept(30),
    name: `${topic.name}${DEAD_SUFFIX}`,
    about: `Messages of ${topic.name} that a consumer gave up on`,
    key: topic.key,
    partitions: 1,
  };
}

/**
 * The topic's settings under Kafka's own names (https://kafka.apache.org/documentation/#topicconfigs), for the
 * call that creates it. Durations are in milliseconds; -1 is for ever.
 */
export function kafkaConfig(topic: Topic): Record<string, string> {
  return {
    'cleanup.policy': topic.cleanupPolicy,
    'retention.ms': String(topic.retentionMs ?? -1),
    ...(topic.maxCompactionLagMs === null
      ? {}
      : { 'max.compaction.lag.ms': String(topic.maxCompactionLagMs) }),
    ...(topic.tombstoneRetentionMs === null
      ? {}
      : { 'delete.retention.ms': String(topic.tombstoneRetentionMs) }),
  };
}
