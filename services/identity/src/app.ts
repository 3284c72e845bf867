import type { Clock } from '@tributary/runtime/clock.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import { consumerFor } from '@tributary/runtime/messaging/consumer.ts';
import type { LastUses } from './introspection/last-uses.ts';
import type { Keyring } from './signing-keys/keyring.ts';

/** What identity's handlers are given. */
export interface App {
  db: Database;
  clock: Clock;
  /** Keys the stored hashes of tokens and seals private signing keys. */
  tokenSecret: string;
  /** The platform's public address: the OpenID Connect issuer. */
  publicUrl: string;
  environment: 'sandbox' | 'production';
  lastUses: LastUses;
  keyring: Keyring;
}

export const route = routeFor<App>();
export const consumer = consumerFor<App>();
