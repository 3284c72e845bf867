import { newId } from '@tributary/proto/id.ts';
import { type Database, inTransaction, type Tx } from '../db/transaction.ts';
import { isTrouble } from '../db/trouble.ts';
import type { Logger } from '../log.ts';
import { countHandling, countParked } from '../metrics.ts';
import { inSpan } from '../telemetry.ts';
import type { Consumer } from './consumer.ts';
import type { Message, Subscription } from './message.ts';
import { emit } from './outbox.ts';

const MAX_ATTEMPTS = 6;
const CONCURRENT_KEYS = 8;

export interface InboxOptions<App> {
  /** Name of the service: its consumer group. */
  service: string;
  db: Database;
  app: App;
  consumers: readonly Consumer<App>[];
  log: Logger;
}

/**
 * The service's subscription: every message reaches each matching consumer exactly once in effect. A failing message
 * is tried 6 times with growing, jittered pauses and then parked (table `parked_messages` and topic `<topic>.dead`);
 * trouble with the database, or with a service that is asked, rejects: the transport delivers again, however long it takes.
 */
export function inboxSubscription<App>(options: InboxOptions<App>): Subscription {
  const topics = [...new Set(options.consumers.map((consumer) => consumer.topic))];
  return {
    group: options.service,
    topics,
    deliver: (messages) => deliverByKey(messages, (message) => deliverToAll(message, options)),
  };
}

/** Messages of one key run in order; up to 8 keys run side by side. */
async function deliverByKey(
  messages: readonly Message[],
  deliver: (message: Message) => Promise<void>,
): Promise<void> {
  const lanes = Map.groupBy(messages, (message) => `${message.topic}\n${message.key}`).values();
  const worker = async () => {
    for (const lane of lanes) {
      for (const message of lane) await deliver(message);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_KEYS }, worker));
}

async function deliverToAll<App>(message: Message, options: InboxOptions<App>): Promise<void> {
  if (message.unreadable !== undefined) {
    const nobody = { name: `${options.service}.unreadable` };
    return park(nobody, message, new UnreadableMessage(message.unreadable), options);
  }
  for (const consumer of options.consumers) {
    if (consumer.topic !== message.topic) continue;
    if (consumer.types && !consumer.types.includes(message.type)) continue;
    await deliverTo(consumer, message, options);
  }
}

async function deliverTo<App>(
  consumer: Consumer<App>,
  message: Message,
  options: InboxOptions<App>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = performance.now();
    try {
      await inSpan(consumer.name, () => handleOnce(consumer, message, options), {
        role: 'consumer',
        traceparent: message.traceparent,
      });
      countHandling(consumer.name, {
        outcome: 'handled',
        seconds: since(startedAt),
        lagSeconds: ageOf(message),
      });
      return;
    } catch (error) {
      countHandling(consumer.name, {
        outcome: 'failed',
        seconds: since(startedAt),
        lagSeconds: ageOf(message),
      });
      if (isTrouble(error)) throw error;
      options.log.warn(
        { err: error, consumer: consumer.name, message: message.id, type: message.type, attempt },
        'consumer failed',
      );
      if (attempt === MAX_ATTEMPTS || error instanceof UnreadableMessage) {
        await park(consumer, message, error, options);
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 50 * 2 ** attempt * (0.5 + Math.random())));
    }
  }
}

const since = (startedAt: number) => (performance.now() - startedAt) / 1000;
const ageOf = (message: Message) => (Date.now() - message.time.getTime()) / 1000;

class UnreadableMessage extends Error {}

type Named = Pick<Consumer, 'name'>;

async function handleOnce<App>(
  consumer: Consumer<App>,
  message: Message,
  options: InboxOptions<App>,
): Promise<void> {
  const readable = { ...message, value: readValue(consumer, message) } as Message<never>;
  if (consumer.prepare && (await wasConsumed(options.db, consumer, message))) return;
  const prepared = await consumer.prepare?.(readable, options.app);
  await inTransaction(options.db, async (tx) => {
    if (await markConsumed(tx, consumer, message))
      await consumer.handle(readable, tx, options.app, prepared as never);
  });
}

function readValue<App>(consumer: Consumer<App>, message: Message): unknown {
  if (message.value === null || !consumer.schema) return message.value;
  const parsed = consumer.schema.safeParse(message.value);
  if (!parsed.success) throw new UnreadableMessage(parsed.error.message);
  return parsed.data;
}

async function wasConsumed<App>(db: Database, consumer: Consumer<App>, message: Message): Promise<boolean> {
  const rows: unknown[] = await db.query(
    'select 1 from consumed_events where consumer = $1 and event_id = $2',
    [consumer.name, message.id],
  );
  return rows.length > 0;
}

async function markConsumed(tx: Tx, consumer: Named, message: Message): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    'insert into consumed_events (consumer, event_id) values ($1, $2) on conflict do nothing returning 1',
    [consumer.name, message.id],
  );
  return rows.length > 0;
}

async function park<App>(
  consumer: Named,
  message: Message,
  error: unknown,
  options: InboxOptions<App>,
): Promise<void> {
  const kept = storable(message);
  const reason = storable(String(error));
  await inTransaction(options.db, async (tx) => {
    if (!(await markConsumed(tx, consumer, message))) return;
    await tx.query(
      'insert into parked_messages (consumer, event_id, topic, message, error) values ($1, $2, $3, $4, $5) on conflict do nothing',
      [consumer.name, message.id, message.topic, JSON.stringify(kept), reason],
    );
    const value = { consumer: consumer.name, error: reason, message: kept };
    await emit(tx, [
      {
        id: newId(),
        topic: `${message.topic}.dead`,
        key: kept.key,
        type: kept.type,
        subject: kept.subject,
        value,
      },
    ]);
  });
  options.log.error(
    { err: error, consumer: consumer.name, message: message.id, type: message.type },
    'message parked',
  );
  countParked(consumer.name);
}

/** The same with a replacement character for what PostgreSQL cannot hold in text: NUL and half a surrogate pair. */
function storable<T>(value: T): T {
  const json = JSON.stringify(value, (_, part) =>
    typeof part === 'string' ? part.toWellFormed().replaceAll('\0', '\ufffd') : part,
  );
  return JSON.parse(json) as T;
}

const FORGET_BATCH = 10_000;

/** Forgets messages handled over 30 days ago, one bounded batch; returns whether more are left. */
export async function forgetOldMessages(db: Database): Promise<boolean> {
  const [, forgotten]: [unknown, number] = await db.query(
    `delete from consumed_events where (consumer, event_id) in (
       select consumer, event_id from consumed_events where consumed_at < now() - interval '30 days'
       order by consumed_at limit $1)`,
    [FORGET_BATCH],
  );
  return forgotten === FORGET_BATCH;
}
