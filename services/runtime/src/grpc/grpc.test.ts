import { Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { pino } from 'pino';
import { isTrouble } from '../db/trouble.ts';
import { Problem, problemType } from '../http/problem.ts';
import { connect, toProblem } from './client.ts';
import { provide, serveGrpc } from './server.ts';

const SECRET = 'a secret that only tests know, 32+ characters';
const log = pino({ level: 'silent' });
const ProductRetired = problemType('ProductRetired', 409);

let server: Awaited<ReturnType<typeof serveGrpc>>;
const never = new Promise<never>(() => undefined);

beforeAll(async () => {
  const implementation = {
    async getResources({ resource, ids }: { resource: string; ids: string[] }) {
      if (resource === 'retired') throw new Problem(ProductRetired, 'It is gone');
      if (resource === 'bug') throw new TypeError('with a detail nobody outside may see');
      if (resource === 'slow') return never;
      return {
        resources: ids.map((id) => ({ id, value: { id, tags: ['a', null], nested: { amount: 12.5 } } })),
      };
    },
  };
  const services = [provide(ResourcesService, implementation, 'resources/v1/resources.proto')];
  server = await serveGrpc({ port: 0, host: '127.0.0.1', secret: SECRET, services, log });
});
afterAll(() => server.stop());

function client(secret = SECRET, port = server.port) {
  return connect(ResourcesService, `127.0.0.1:${port}`, secret);
}

describe('a gRPC call', () => {
  test('carries JSON values both ways without loss', async () => {
    const resources = client();
    const reply = await resources.getResources({ resource: 'products', ids: ['1'] });
    expect(reply).toEqual({
      resources: [{ id: '1', value: { id: '1', tags: ['a', null], nested: { amount: 12.5 } } }],
    });
    resources.close();
  });

  test('throws the problem that the server raised', async () => {
    const resources = client();
    const error = await resources
      .getResources({ resource: 'retired', ids: [] })
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Problem);
    expect(error).toMatchObject({ type: { name: 'ProductRetired', status: 409 }, message: 'It is gone' });
    resources.close();
  });

  test('that hits a bug tells nothing of it', async () => {
    const resources = client();
    await expect(resources.getResources({ resource: 'bug', ids: [] })).rejects.toThrow('Internal error');
    resources.close();
  });

  test('that is not answered in time is a 503', async () => {
    const resources = client();
    await expect(resources.getResources({ resource: 'slow', ids: [] }, 50)).rejects.toMatchObject({
      type: { status: 503 },
    });
    resources.close();
  });

  test('with a wrong secret is refused', async () => {
    const resources = client('some other secret of more than 32 characters');
    await expect(resources.getResources({ resource: 'products', ids: [] })).rejects.toThrow(
      'UNAUTHENTICATED',
    );
    resources.close();
  });

  test('to a server that is not there is a 503', async () => {
    const resources = client(SECRET, 1);
    await expect(resources.getResources({ resource: 'products', ids: [] }, 200)).rejects.toMatchObject({
      type: { status: 503 },
    });
    resources.close();
  });
});

test.each([
  [status.UNAVAILABLE, 'Connection dropped', true],
  [status.DEADLINE_EXCEEDED, 'Deadline exceeded', true],
  [status.CANCELLED, 'Call cancelled', true],
  [
    status.INTERNAL,
    'Received RST_STREAM with code 2 triggered by internal client error: read ECONNRESET',
    true,
  ],
  [status.INTERNAL, 'Received RST_STREAM with code 0 (Call ended without gRPC status)', true],
  [status.UNKNOWN, 'Received RST_STREAM with code 0 (Call ended without gRPC status)', true],
  [status.INTERNAL, 'Internal error', false],
  [status.INVALID_ARGUMENT, 'ids: too many', false],
  [status.UNIMPLEMENTED, 'no such method', false],
  [status.UNAUTHENTICATED, 'The shared secret is missing or wrong.', false],
])('status %i, %s: worth another try later is %s', (code, details, isWorth) => {
  const error = Object.assign(new Error(details), {
    code,
    details,
    metadata: new Metadata(),
  }) as ServiceError;
  expect(isTrouble(toProblem(error, 'getThings'))).toBe(isWorth);
});

test('a call of a client that was closed is a 503', async () => {
  const resources = client();
  resources.close();
  await expect(resources.getResources({ resource: 'products', ids: [] })).rejects.toMatchObject({
    type: { status: 503 },
  });
});
