import type { Clock } from '@tributary/runtime/clock.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import { consumerFor } from '@tributary/runtime/messaging/consumer.ts';
import type { Ingest } from './ingest/collector.ts';
import type { Owners, Replicas } from './replicas.ts';

/** What metering's routes, consumers and jobs work with. */
export interface App {
  db: Database;
  clock: Clock;
  replicas: Replicas;
  owners: Owners;
  ingest: Ingest;
}

export const route = routeFor<App>();
export const consumer = consumerFor<App>();
