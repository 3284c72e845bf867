/** A message as consumers see it, whatever transport carried it. */
export interface Message<V = unknown> {
  /** CloudEvents id: unique per message, the same on every delivery. */
  id: string;
  topic: string;
  key: string;
  /** CloudEvents type, such as `order.paid`. */
  type: string;
  subject: string | null;
  /** Null is a tombstone on a compacted topic. */
  value: V | null;
  time: Date;
  /** `/tributary/<service>` that wrote it. */
  source: string;
  traceparent: string | null;
  /** Why it is no message of ours; its value is then the text as it came. It can only be set aside. */
  unreadable?: string;
}

/** What the relay hands to a transport and what a transport hands to consumers. */
export interface Transport {
  /** Resolves when every message is safe: acknowledged by all replicas, or handled by every consumer. */
  publish(messages: readonly Message[]): Promise<void>;
  /** Starts delivering a group's topics, in order per key, at least once. `deliver` rejects to have it again. */
  subscribe(subscription: Subscription): Promise<void>;
  /** Whether the transport can be reached now. */
  ready(): Promise<void>;
  /** What a group has not handled yet, by topic; absent where a message stays in the outbox until it is handled. */
  backlog?(subscription: Pick<Subscription, 'group' | 'topics'>, before: Date): Promise<Backlog[]>;
  stop(): Promise<void>;
}

/** Messages of one topic that wait for a group. */
export interface Backlog {
  topic: string;
  waiting: bigint;
  /** Those of them that were published before a given instant. */
  overdue: bigint;
}

export interface Subscription {
  /** Consumer group: one per service. */
  group: string;
  topics: readonly string[];
  /** Handles messages of one partition in order; must be idempotent. */
  deliver(messages: readonly Message[]): Promise<void>;
}

/** Thrown by `publish` once the process is stopping; the outbox keeps the messages for the next start. */
export class TransportClosed extends Error {}
