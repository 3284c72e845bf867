import { newId } from '@tributary/proto/id.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { customerSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import type { App } from './app.ts';
import { routes } from './routes.ts';
import { type CatalogUnderTest, catalogUnderTest } from './testing/catalog.ts';

/** What holds for every route, also for one that is added later. */
let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const named = routes.map((route) => [`${route.method} ${route.path}`, route] as const);
const guarded = named.filter(([, route]) => route.access.schemes.length > 0);
const withBody = named.filter(([, route]) => route.body);
const target = (route: Route<App>, id = newId()) => route.path.replaceAll(/\{\w+\}/g, id);
const isPortal = (route: Route<App>) => route.access.schemes.includes('customer_session');
const callerOf = (route: Route<App>) =>
  isPortal(route) ? customerSession(catalog.organization.id, catalog.customer().id) : catalog.merchant;

test.each(guarded)('%s needs credentials', async (_name, route) => {
  const { status, body } = await catalog.request(route.method, target(route));
  expect([status, body.error]).toEqual([401, 'Unauthorized']);
});

test.each(guarded)('%s does not take the other side’s token', async (_name, route) => {
  const as = isPortal(route) ? catalog.merchant : customerSession(catalog.organization.id, newId());
  expect((await catalog.request(route.method, target(route), { as })).status).toBe(401);
});

test.each(guarded.filter(([, route]) => !isPortal(route)))(
  '%s needs one of its scopes',
  async (_name, route) => {
    const as = organizationToken(catalog.organization.id, ['orders:read']);
    const { status, body, headers } = await catalog.request(route.method, target(route), { as });
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
    expect(headers.get('www-authenticate')).toContain(route.access.scopes[0]);
  },
);

test.each(guarded.filter(([, route]) => route.path.includes('{id}')))(
  '%s refuses a malformed id',
  async (_name, route) => {
    const { status, body } = await catalog.request(route.method, target(route, 'x'), {
      as: callerOf(route),
      body: route.body ? {} : undefined,
    });
    expect(status).toBe(422);
    expect(body.detail[0].loc).toEqual(['path', 'id']);
  },
);

test.each(guarded.filter(([, route]) => route.path.includes('{id}') && !route.body))(
  '%s does not know an unknown id',
  async (_name, route) => {
    const { status, body } = await catalog.request(route.method, target(route), { as: callerOf(route) });
    expect([status, body.error]).toEqual([404, 'ResourceNotFound']);
  },
);

const NONSENSE = [[], 'text', 5, true, null, {}, { name: { $gt: '' } }];
test.each(withBody)('%s never breaks on a nonsensical body', async (_name, route) => {
  for (const body of NONSENSE) {
    const answer = await catalog.request(route.method, target(route), { as: callerOf(route), body });
    expect([400, 404, 422]).toContain(answer.status);
  }
  for (const raw of ['{', '{"a":', '\u0000', '[[[['.repeat(40), `"${'x'.repeat(100)}`]) {
    const answer = await catalog.request(route.method, target(route), { as: callerOf(route), raw });
    expect(answer.status).toBe(422);
  }
});

test.each(named.filter(([, route]) => route.query))(
  '%s refuses page 0 and odd filters',
  async (_name, route) => {
    const as = callerOf(route);
    for (const query of ['page=0', 'limit=-1', 'page=1.5', 'page=1&page=2']) {
      const { status, body } = await catalog.request(route.method, `${target(route)}?${query}`, { as });
      expect(status).toBe(422);
      expect(body.detail[0].loc[0]).toBe('query');
    }
  },
);

test.each(named.filter(([, route]) => route.query?.shape.page && !route.path.includes('{')))(
  '%s takes a number of statements that does not depend on the page',
  async (_name, route) => {
    const as = callerOf(route);
    const benefit = await catalog.benefit('license_keys');
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customerId = 'customer_id' in as ? as.customer_id : catalog.customer().id;
    const count = () => catalog.statementsOf(() => catalog.request('GET', `${route.path}?limit=100`, { as }));
    await catalog.buy(product.id, customerId);
    await count();
    const few = await count();
    for (let more = 0; more < 5; more += 1) {
      await catalog.buy((await catalog.product({ recurring_interval: null }, [benefit])).id, customerId);
    }
    expect(await count()).toBe(few);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThanOrEqual(9);
  },
);
