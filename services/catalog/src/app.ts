import type { Clock } from '@tributary/runtime/clock.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import { consumerFor } from '@tributary/runtime/messaging/consumer.ts';
import type { ResourcesClient } from '@tributary/runtime/replica/replica.ts';
import type { FileLinks } from './files/links.ts';
import type { FileStorage } from './files/storage.ts';
import type { Replicas } from './replicas.ts';

/** What the catalog's routes, consumers and jobs work with. */
export interface App {
  db: Database;
  clock: Clock;
  replicas: Replicas;
  commerce: ResourcesClient;
  storage: FileStorage;
  links: FileLinks;
}

export const route = routeFor<App>();
export const consumer = consumerFor<App>();
