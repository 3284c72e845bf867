import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase } from '@tributary/runtime/testing/database.ts';
import { type ServiceUnderTest, serviceUnderTest } from '@tributary/runtime/testing/service.ts';
import type { App } from '../app.ts';
import {
  createFirstOrganization,
  type FirstCredentials,
} from '../bootstrap/create-first-organization.flow.ts';
import { consumers } from '../consumers.ts';
import { entities, migrations } from '../database.ts';
import { introspectToken } from '../introspection/introspect-token.flow.ts';
import { gatherLastUses } from '../introspection/last-uses.ts';
import { routes } from '../routes.ts';
import { keyring } from '../signing-keys/keyring.ts';

export interface IdentityUnderTest extends ServiceUnderTest {
  app: App;
  clock: TestClock;
  /** Credentials of the first organization. */
  first: FirstCredentials;
  /** Who a token speaks for now, as the gateway would learn it. */
  callerOf(token: string): Promise<Principal | undefined>;
  /** The user behind a personal token or a session. */
  userOf(token: string): Promise<PrincipalOf<'user'>>;
}

const tokenSecret = 'the key of all token hashes in these tests';

/** Identity with a first organization, on a database of its own. */
export async function identityUnderTest({
  environment = 'sandbox',
  start,
}: {
  environment?: App['environment'];
  start?: Date;
} = {}): Promise<IdentityUnderTest> {
  const { db, drop } = await createTestDatabase('identity', { entities, migrations });
  const clock = testClock(start);
  const app: App = {
    db,
    clock,
    tokenSecret,
    publicUrl: 'https://pay.example.com',
    environment,
    lastUses: gatherLastUses(),
    keyring: keyring(db, tokenSecret),
  };
  const now = () => clock.now();
  const service = await serviceUnderTest({
    service: 'identity',
    routes,
    consumers: consumers(),
    app,
    db,
    now,
  });
  const callerOf = async (token: string) => (await introspectToken(app, token, now())).principal;
  return {
    ...service,
    app,
    clock,
    first: await createFirstOrganization(app),
    callerOf,
    async userOf(token) {
      const principal = await callerOf(token);
      if (principal?.kind !== 'user') throw new Error('no user is behind this token');
      return principal;
    },
    async stop() {
      await service.stop();
      await drop();
    },
  };
}
