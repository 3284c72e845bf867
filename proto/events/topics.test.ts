import {
  allTopics,
  deadTopic,
  emailsTopic,
  eventFamilies,
  eventTopics,
  kafkaConfig,
  stateResources,
  stateTopics,
  webhooksTopic,
} from './topics.ts';

const DAY_MS = 86_400_000;

test('names differ and fit Kafka', () => {
  const names = allTopics.flatMap((topic) => [topic.name, deadTopic(topic).name]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9._-]{1,249}$/);
});

test('Kafka takes no two names that differ only in dots and underscores', () => {
  const metricNames = allTopics.map((topic) => topic.name.replaceAll('.', '_'));
  expect(new Set(metricNames).size).toBe(allTopics.length);
});

test('all topics are those of the families, the resources, webhooks, mails and tokens', () => {
  expect(allTopics.map((topic) => topic.name)).toEqual([
    ...eventFamilies.map((family) => `tributary.events.${family}`),
    ...stateResources.map((resource) => `tributary.state.${resource}`),
    'tributary.webhooks',
    'tributary.emails',
    'tributary.tokens',
  ]);
});

test('state topics keep the newest of each key for good, and what it replaced or deleted for a week', () => {
  expect(kafkaConfig(stateTopics.customers)).toEqual({
    'cleanup.policy': 'compact',
    'retention.ms': '-1',
    'max.compaction.lag.ms': String(7 * DAY_MS),
    'delete.retention.ms': String(7 * DAY_MS),
  });
});

test('events stay 30 days, webhooks and mails 7', () => {
  expect(kafkaConfig(eventTopics.order)).toEqual({
    'cleanup.policy': 'delete',
    'retention.ms': String(30 * DAY_MS),
  });
  expect([webhooksTopic.retentionMs, emailsTopic.retentionMs]).toEqual([7 * DAY_MS, 7 * DAY_MS]);
});

test('a dead topic is never compacted, so that no parked message replaces another', () => {
  const dead = deadTopic(stateTopics.customers);
  expect(dead.name).toBe('tributary.state.customers.dead');
  expect(dead.cleanupPolicy).toBe('delete');
});
