import { newId } from '@tributary/proto/id.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { pino } from 'pino';
import type { Database } from '../db/transaction.ts';
import { INTERNAL_TOKEN_HEADER, signPrincipal } from '../http/internal-token.ts';
import type { Route } from '../http/route.ts';
import { httpApplication, listen, portOf } from '../http/server.ts';
import type { Consumer } from '../messaging/consumer.ts';
import { inboxSubscription } from '../messaging/inbox.ts';
import type { Message } from '../messaging/message.ts';
import { nobody } from './principals.ts';

export const TEST_SECRET = 'a secret that only tests know, 32+ characters';

export interface TestRequest {
  as?: Principal;
  body?: unknown;
  form?: Record<string, string>;
  /** Sent as it is, as JSON. */
  raw?: string | Buffer;
  headers?: Record<string, string>;
}

export interface TestResponse {
  status: number;
  headers: Headers;
  /** Parsed JSON; undefined when empty. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
  body: any;
}

export interface ServiceUnderTest {
  request(method: string, target: string, options?: TestRequest): Promise<TestResponse>;
  /** Delivers a message as a transport would. */
  deliver(message: Pick<Message, 'topic' | 'key' | 'type' | 'value'> & Partial<Message>): Promise<void>;
  /** What the outbox holds now, in order. */
  outbox(): Promise<{ id: string; topic: string; key: string; type: string; value: unknown }[]>;
  stop(): Promise<void>;
}

/** A service's routes and consumers on a real HTTP port and database, without gateway, relay or jobs. */
export async function serviceUnderTest<App>(parts: {
  service: string;
  routes: readonly Route<App>[];
  consumers?: readonly Consumer<App>[];
  app: App;
  db: Database;
  now: () => Date;
}): Promise<ServiceUnderTest> {
  const log = pino({ level: process.env.TEST_LOG_LEVEL ?? 'silent' });
  const application = httpApplication({ ...parts, secret: TEST_SECRET, log });
  const server = await listen(application, 0, '127.0.0.1');
  const inbox = inboxSubscription({ ...parts, consumers: parts.consumers ?? [], log });
  return {
    async request(method, target, { as = nobody, body, form, raw, headers = {} } = {}) {
      const token = await signPrincipal(as, parts.service, TEST_SECRET, parts.now());
      const sent =
        raw ??
        (form ? new URLSearchParams(form).toString() : body === undefined ? undefined : JSON.stringify(body));
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json';
      const response = await fetch(`http://127.0.0.1:${portOf(server)}${target}`, {
        method,
        redirect: 'manual',
        headers: {
          [INTERNAL_TOKEN_HEADER]: token,
          ...(sent === undefined ? {} : { 'content-type': type }),
          ...headers,
        },
        body: sent,
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.includes('json');
      return {
        status: response.status,
        headers: response.headers,
        body: text === '' ? undefined : isJson ? JSON.parse(text) : text,
      };
    },
    deliver: (message) =>
      inbox.deliver([
        {
          id: newId(),
          subject: null,
          time: parts.now(),
          source: '/tributary/test',
          traceparent: null,
          ...message,
        },
      ]),
    outbox: () => parts.db.query('select id, topic, key, type, value from outbox order by position'),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
