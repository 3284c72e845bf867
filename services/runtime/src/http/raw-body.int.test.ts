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
    summary: 'Take text',
    access: merchant('events:write'),
    body: z.object({ name: z.string() }),
    raw: true,
    response: z.object({ length: z.int(), body: z.string() }),
    handle: async ({ text, body }) => ({ length: text.length, body: typeof body }),
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

test('a raw route is handed the text as it came, unparsed and unchecked', async () => {
  expect((await post('{"name": 7')).body).toEqual({ length: 10, body: 'undefined' });
});

test('size and encoding are looked after all the same', async () => {
  expect((await post(Buffer.from([0x22, 0xff, 0x22]))).status).toBe(422);
  expect((await post(' '.repeat(10 * 1024 * 1024 + 1))).status).toBe(413);
});
