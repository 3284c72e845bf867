import { merchant } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { z } from 'zod';
import { testClock } from '../testing/clock.ts';
import { organizationToken } from '../testing/principals.ts';
import { type ServiceUnderTest, serviceUnderTest } from '../testing/service.ts';
import { routeFor } from './route.ts';

const clock = testClock();
let service: ServiceUnderTest;
beforeAll(async () => {
  const raw = routeFor<null>()({
    method: 'POST',
    path: '/v1/raw',
    operation: 'raw:create',
    summary: 'Take bytes',
    access: merchant('events:write'),
    body: z.object({ name: z.string() }),
    raw: true,
    response: z.object({ bytes: z.array(z.int()), body: z.string() }),
    handle: async ({ bytes, body }) => ({ bytes: [...bytes], body: typeof body }),
  });
  // Without an Idempotency-Key the route has no need of a database.
  service = await serviceUnderTest({
    service: 'raw',
    routes: [raw],
    app: null,
    db: undefined as never,
    now: () => clock.now(),
  });
});
afterAll(() => service?.stop());

const post = (raw: string | Buffer) =>
  service.request('POST', '/v1/raw', { as: organizationToken(newId()), raw });

test('a raw route is handed the bytes as they came, whatever they are', async () => {
  const sent = [0x22, 0xff, 0x22];
  expect((await post(Buffer.from(sent))).body).toEqual({ bytes: sent, body: 'undefined' });
});

test('size is looked after all the same', async () => {
  expect((await post(' '.repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
});
