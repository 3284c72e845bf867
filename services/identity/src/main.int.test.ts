import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { newId } from '@tributary/proto/id.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';
import type { Message } from '@tributary/runtime/messaging/message.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import {
  createFirstOrganization,
  type FirstCredentials,
} from './bootstrap/create-first-organization.flow.ts';
import { entities, migrations } from './database.ts';
import { type RunningIdentity, startIdentity } from './main.ts';

const internalSecret = 'a secret that services of this test share';
let database: TestDatabase;
let identity: RunningIdentity;
let first: FirstCredentials;
const messages: Message[] = [];
beforeAll(async () => {
  database = await createTestDatabase('identity', { entities, migrations });
  const transport = inProcessTransport();
  identity = await startIdentity(
    {
      port: 0,
      grpcPort: 0,
      publicUrl: 'http://localhost:8080',
      internalSecret,
      tokenSecret: 'the key of all token hashes in this test',
      environment: 'sandbox',
      logLevel: 'silent',
      otelExporterOtlpEndpoint: undefined,
      databaseUrl: database.url,
      databasePoolSize: 5,
    },
    { transport },
  );
  await transport.subscribe({
    group: 'listener',
    topics: ['tributary.state.organizations', 'tributary.tokens'],
    deliver: async (delivered) => {
      messages.push(...delivered);
    },
  });
  transport.open();
  first = await createFirstOrganization(identity.app);
});
afterAll(async () => {
  await identity?.stop();
  await database?.drop();
});

const grpc = async <T>(work: (client: ReturnType<typeof clients>) => Promise<T>): Promise<T> => {
  const client = clients();
  try {
    return await work(client);
  } finally {
    client.identity.close();
    client.resources.close();
  }
};
const clients = () => {
  const address = `127.0.0.1:${identity.grpcPort}`;
  return {
    identity: connect(IdentityService, address, internalSecret),
    resources: connect(ResourcesService, address, internalSecret),
  };
};

test('it is alive and ready', async () => {
  for (const probe of ['healthz', 'readyz', 'metrics']) {
    expect((await fetch(`http://127.0.0.1:${identity.port}/${probe}`)).status).toBe(200);
  }
});

test('the gateway learns who a token speaks for', async () => {
  await grpc(async (client) => {
    const { principal, expires_at } = await client.identity.introspect({
      token: first.organization_access_token,
    });
    expect(principal).toMatchObject({ kind: 'organization', organization_id: first.organization.id });
    expect(expires_at).toBeUndefined();
    expect(await client.identity.introspect({ token: 'nobody' })).toEqual({});
  });
});

test('sessions are made, read and ended by call', async () => {
  await grpc(async ({ identity: client }) => {
    const customer_id = newId();
    const session = await client.createSession({ organization_id: first.organization.id, customer_id });
    expect((await client.introspect({ token: session.token })).principal).toMatchObject({ customer_id });
    expect((await client.getSession({ id: session.id })).expires_at).toEqual(session.expires_at);
    await client.endSessions({ customer_id });
    expect((await client.introspect({ token: session.token })).principal).toBeUndefined();
    await expect(client.getSession({ id: session.id })).rejects.toMatchObject({ type: { status: 404 } });
    await eventually(async () => {
      expect(messages.map(({ value }) => value)).toContainEqual({ token_id: session.id });
    });
  });
});

test('organizations are published and can be asked for', async () => {
  await eventually(async () => {
    expect(messages.map(({ key }) => key)).toContain(first.organization.id);
  });
  await grpc(async ({ resources }) => {
    const ids = [first.organization.id, newId()];
    const { resources: found } = await resources.getResources({ resource: 'organizations', ids });
    expect(found).toHaveLength(1);
    expect(found[0]!.value).toEqual(messages.find(({ key }) => key === first.organization.id)!.value);
    expect((await resources.getResources({ resource: 'customers', ids })).resources).toEqual([]);
  });
});
