import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { provide, serveGrpc } from '@tributary/runtime/grpc/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import {
  customerSession,
  memberSession,
  organizationToken,
  personalToken,
} from '@tributary/runtime/testing/principals.ts';
import { identityClient } from './identity.ts';
import type { Introspected } from './token-cache.ts';

const SECRET = 'a secret that only tests know, 32+ characters';
const ORGANIZATION = '00000000-0000-4000-8000-000000000001';
const log = createLog({ service: 'test', level: 'silent' });

/** What the gateway makes of an identity service that says so. */
async function introspect(principal: unknown, expires_at?: Date): Promise<Introspected | undefined> {
  const unused = () => Promise.reject(new Error('not asked for'));
  const implementation = {
    introspect: async () => ({ principal: principal as Record<string, unknown> | undefined, expires_at }),
    createSession: unused,
    getSession: unused,
    endSessions: unused,
  };
  const services = [provide(IdentityService, implementation, 'identity/v1/identity.proto')];
  const server = await serveGrpc({ port: 0, host: '127.0.0.1', secret: SECRET, services, log });
  const client = identityClient(`127.0.0.1:${server.port}`, SECRET);
  try {
    return await client.introspect('token');
  } finally {
    client.close();
    await server.stop();
  }
}

test.each<Principal>([
  organizationToken(ORGANIZATION),
  personalToken([ORGANIZATION]),
  { ...personalToken([]), scheme: 'oidc', client_id: 'trb_ci_x', is_limited: true },
  customerSession(ORGANIZATION, 'c'),
  memberSession(ORGANIZATION, 'c', 'm', 'owner'),
])('a principal ($kind) comes over gRPC as it is', async (principal) => {
  const end = new Date('2030-01-02T03:04:05.000Z');
  expect(await introspect(principal, end)).toEqual({ principal, expiresAt: end });
});

test('a bad token has no principal', async () => {
  expect(await introspect(undefined)).toBeUndefined();
});

test('an answer that is no principal is an error and nobody', async () => {
  await expect(introspect({ kind: 'superuser' })).rejects.toThrow();
});
