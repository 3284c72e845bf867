import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Provided, provide } from '@tributary/runtime/grpc/server.ts';
import type { App } from './app.ts';
import { introspectToken } from './introspection/introspect-token.flow.ts';
import { presentState } from './organizations/present.ts';
import { findOrganizations } from './organizations/store.ts';
import { createSession, endSessionsOf, readSession } from './sessions/session-calls.flow.ts';

const MAX_IDS = 100;

/** What other services and the gateway may ask of identity. */
export const grpcServices = (app: App): Provided[] => [
  provide(
    IdentityService,
    {
      introspect: async ({ token }) => {
        const { principal, expires_at } = await introspectToken(app, token, app.clock.now());
        return { principal, expires_at: expires_at ?? undefined };
      },
      createSession: (request) => createSession(app, request),
      getSession: ({ id }) => readSession(app, id),
      endSessions: async ({ customer_id, member_id }) => {
        await endSessionsOf(app, customer_id, member_id);
        return {};
      },
    },
    'identity/v1/identity.proto',
  ),
  provide(
    ResourcesService,
    {
      getResources: async ({ resource, ids }) => {
        if (resource !== 'organizations') return { resources: [] };
        const rows = await findOrganizations(app.db, ids.slice(0, MAX_IDS));
        return { resources: rows.map((row) => ({ id: row.id, value: presentState(row) })) };
      },
    },
    'resources/v1/resources.proto',
  ),
];
