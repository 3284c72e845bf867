import type { Clock } from '@tributary/runtime/clock.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import { consumerFor } from '@tributary/runtime/messaging/consumer.ts';
import type { Replica } from '@tributary/runtime/replica/replica.ts';
import type { Mailer } from './emails/mailer.ts';
import type { Outbound } from './outbound/outbound.ts';
import type { Vault } from './vault.ts';

/** What notifications reads of an organization. */
export interface OrganizationCopy {
  id: string;
  name: string;
  slug: string;
  email: string | null;
}

/** What notifications' routes, consumers, jobs and dispatchers work with. */
export interface App {
  db: Database;
  clock: Clock;
  log: Logger;
  organizations: Replica<OrganizationCopy>;
  /** Seals webhook secrets for storage. */
  vault: Vault;
  /** Where webhooks may go, and how they get there. */
  outbound: Outbound;
  mailer: Mailer;
  /** Spreads retries; from 0 to 1. */
  random: () => number;
  /** The platform's public address, for links in mails. */
  publicUrl: string;
}

export const route = routeFor<App>();
export const consumer = consumerFor<App>();
