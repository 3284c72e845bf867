import type { CatalogService } from '@tributary/proto/gen/catalog/v1/catalog.ts';
import type { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import type { MeteringService } from '@tributary/proto/gen/metering/v1/metering.ts';
import type { Clock } from '@tributary/runtime/clock.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import type { Client } from '@tributary/runtime/grpc/definition.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import { consumerFor } from '@tributary/runtime/messaging/consumer.ts';
import type { PaymentProcessor } from './payments/processor.ts';
import type { SandboxProcessor } from './payments/sandbox-processor.ts';
import type { Replicas } from './replicas.ts';

/** What commerce's routes, consumers and jobs work with. */
export interface App {
  db: Database;
  clock: Clock;
  log: Logger;
  replicas: Replicas;
  /** Mints and ends customers' sessions. */
  sessions: Pick<Client<typeof IdentityService>, 'createSession' | 'getSession' | 'endSessions'>;
  /** Makes prices that hold for one session. */
  catalog: Pick<Client<typeof CatalogService>, 'makePrices'>;
  /** What customers used, for billing. */
  metering: Pick<Client<typeof MeteringService>, 'getUsage' | 'getCustomerMeters'>;
  /** Key of the hashes that stand for tokens we hand out. */
  secret: string;
  processor: PaymentProcessor;
  /** The same processor where it is the sandbox; undefined where money is real. */
  sandbox: SandboxProcessor | undefined;
  /** Where checkout pages and the customer portal are. */
  publicUrl: string;
}

export const route = routeFor<App>();
export const consumer = consumerFor<App>();
