import { scopes } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { apiClient, expectStatus } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import { type ApiRoute, apiRoutes } from './api-routes.ts';
import { startTestPlatform, type TestPlatform } from './test-platform.ts';

let platform: TestPlatform;
let memberSession: string;
beforeAll(async () => {
  platform = await startTestPlatform();
  memberSession = await sessionToken(platform);
}, 60_000);
afterAll(() => platform?.stop());

const v1 = apiRoutes.filter((route) => route.path.startsWith('/v1/'));
const isMerchant = (route: ApiRoute) =>
  route.access.schemes.some((scheme) => scheme === 'oidc' || scheme === 'pat');
const isPortal = (route: ApiRoute) =>
  route.access.schemes.some((scheme) => scheme === 'customer_session' || scheme === 'member_session');
const title = (route: ApiRoute) => [`${route.method} ${route.path}`, route] as const;

const tokenFor = (route: ApiRoute): string | undefined => {
  if (isPortal(route)) return memberSession;
  return route.access.schemes.some((scheme) => scheme === 'oat')
    ? platform.merchantToken
    : platform.personalToken;
};

/** The route's path with every parameter filled by `value`. */
const filled = (route: ApiRoute, value: string) => route.path.replaceAll(/\{\w+\}/g, value);

async function send(method: string, target: string, token: string | undefined, body?: string) {
  const response = await fetch(platform.baseUrl + target, {
    method,
    redirect: 'manual',
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), 'content-type': 'application/json' },
    body,
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json');
  return { status: response.status, body: isJson && text ? JSON.parse(text) : text };
}

/** A session of the owner of a team, who may do all that the portal offers. */
async function sessionToken({ merchant }: TestPlatform): Promise<string> {
  const owner = { email: 'owner@team.example.com', name: 'Owner' };
  const team = expectStatus(
    await merchant.post('/v1/customers/', { type: 'team', name: 'Team', email: 'team@example.com', owner }),
    201,
  );
  const [member] = expectStatus(await merchant.get(`/v1/members/?customer_id=${team.id}`), 200).items;
  return expectStatus(
    await merchant.post('/v1/customer-sessions/', { customer_id: team.id, member_id: member.id }),
    201,
  ).token;
}

const withBody = (route: ApiRoute) =>
  route.method === 'GET' || route.method === 'DELETE' ? undefined : '{}';

describe('credentials', () => {
  const guarded = v1.filter((route) => route.access.schemes.length > 0 && route.access.scopes.length > 0);

  test.each(guarded.map(title))('%s without a token is a 401', async (_name, route) => {
    const { status, body } = await send(route.method, filled(route, newId()), undefined, withBody(route));
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  });

  test.each(guarded.map(title))(
    '%s with a token of a kind it does not take is a 401',
    async (_name, route) => {
      const token = isMerchant(route) ? memberSession : platform.merchantToken;
      const { status, body } = await send(route.method, filled(route, newId()), token, withBody(route));
      expect([status, body.error]).toEqual([401, 'Unauthorized']);
    },
  );

  test.each(v1.map(title))('%s with a token nobody issued is a 401', async (_name, route) => {
    const { status, body } = await send(
      route.method,
      filled(route, newId()),
      'trb_oat_made_up',
      withBody(route),
    );
    expect([status, body.error]).toEqual([401, 'Unauthorized']);
  });

  test.each(
    guarded
      .filter(isMerchant)
      .filter((route) => route.access.schemes.some((scheme) => scheme === 'oat'))
      .map(title),
  )('%s with a token without its scope is a 403', async (_name, route) => {
    const others = scopes.filter((scope) => !(route.access.scopes as readonly string[]).includes(scope));
    const token = await platform.tokenWith(others);
    const { status, body } = await send(route.method, filled(route, newId()), token, withBody(route));
    expect([status, body.error]).toEqual([403, 'insufficient_scope']);
  });
});

describe('records', () => {
  const byId = v1.filter((route) => /\{(id|seat_id|member_id|activation_id)\}/.test(route.path));

  test.each(byId.map(title))('%s with a malformed id is a 422 at its place', async (_name, route) => {
    const { status, body } = await send(
      route.method,
      filled(route, 'nonsense'),
      tokenFor(route),
      withBody(route),
    );
    expect(status).toBe(422);
    expect(body.detail[0].loc[0]).toBe('path');
  });

  test.each(byId.filter((route) => route.method === 'GET' || route.method === 'DELETE').map(title))(
    '%s with an unknown id is a 404',
    async (_name, route) => {
      const { status, body } = await send(route.method, filled(route, newId()), tokenFor(route));
      // A route that needs query parameters asks for them first.
      if (status === 422) expect(body.detail[0].loc[0]).toBe('query');
      else expect([status, body.error]).toEqual([404, 'ResourceNotFound']);
    },
  );
});

describe('lists', () => {
  const lists = v1.filter((route) => route.method === 'GET' && route.isList && !route.path.includes('{'));

  test.each(lists.map(title))(
    '%s refuses page 0, limit 0 and a limit that is no number',
    async (_name, route) => {
      for (const query of ['page=0', 'limit=0', 'limit=-1', 'limit=many', 'page=1.5']) {
        const { status, body } = await send('GET', `${route.path}?${query}`, tokenFor(route));
        expect([query, status, body.detail?.[0]?.loc?.[0]]).toEqual([query, 422, 'query']);
      }
    },
  );

  test.each(lists.map(title))('%s lowers a limit of 1000', async (_name, route) => {
    const { status, body } = await send('GET', `${route.path}?limit=1000`, tokenFor(route));
    if (status === 422)
      expect(body.detail.every((issue: { loc: string[] }) => issue.loc[1] !== 'limit')).toBe(true);
    else
      expect([status, body.items.length <= 100, typeof body.pagination.total_count]).toEqual([
        200,
        true,
        'number',
      ]);
  });
});

describe('bodies', () => {
  const writes = v1.filter(
    (route) => route.hasBody && !route.upload && !route.path.startsWith('/v1/oauth2/'),
  );

  test.each(writes.map(title))(
    '%s refuses what is not an object, broken JSON and a NUL character',
    async (_name, route) => {
      for (const raw of [
        '[]',
        '"text"',
        '7',
        'null',
        '{"a":',
        `{"name":"a\\u0000b"}`,
        `[${'['.repeat(50_000)}`,
      ]) {
        const { status, body } = await send(route.method, filled(route, newId()), tokenFor(route), raw);
        expect([raw.slice(0, 20), status, body.detail?.[0]?.loc?.[0]]).toEqual([
          raw.slice(0, 20),
          422,
          'body',
        ]);
      }
    },
  );

  test.each(writes.map(title))('%s never answers wrong types with a 500', async (_name, route) => {
    const wrong = {
      name: 7,
      description: [],
      type: {},
      events: 'all',
      url: 1,
      metadata: [],
      customer_id: 'x',
      product_id: 9,
      products: {},
      seats: 'x',
      email: false,
    };
    const { status } = await send(
      route.method,
      filled(route, newId()),
      tokenFor(route),
      JSON.stringify(wrong),
    );
    expect(status).toBeLessThan(500);
  });

  test.each(writes.map(title))('%s refuses a body over 10 MiB with a 413', async (_name, route) => {
    const raw = JSON.stringify({ name: 'x'.repeat(10 * 1024 * 1024) });
    const { status, body } = await send(route.method, filled(route, newId()), tokenFor(route), raw);
    expect([status, body.error]).toEqual([413, 'RequestBodyTooLarge']);
  });
});

describe('another organization', () => {
  test('sees none of the first sale’s records, by id or in lists', async () => {
    const webhooks = await startWebhookReceiver();
    const merchant = apiClient({ baseUrl: platform.baseUrl, token: platform.merchantToken });
    const sale = await firstSale({ merchant, webhooks });
    await webhooks.stop();
    const stranger = apiClient({ baseUrl: platform.baseUrl, token: await platform.strangerToken() });
    const paths = [
      `/v1/meters/${sale.meter.id}`,
      `/v1/products/${sale.product.id}`,
      `/v1/customers/${sale.customer.id}`,
      `/v1/orders/${sale.order.id}`,
      `/v1/subscriptions/${sale.subscription.id}`,
      `/v1/checkouts/${sale.checkout.id}`,
      `/v1/license-keys/${sale.key.id}`,
      `/v1/benefits/${sale.product.benefits[0].id}`,
    ];
    for (const path of paths) expect([path, (await stranger.get(path)).status]).toEqual([path, 404]);
    for (const list of new Set(paths.map((path) => path.slice(0, path.lastIndexOf('/') + 1)))) {
      expect([list, (await stranger.get(list)).body.items]).toEqual([list, []]);
    }
  }, 120_000);
});
