import { newId } from '@tributary/proto/id.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, meterCopy, metered } from '../testing/copies.ts';

let shop: CommerceUnderTest;
beforeAll(async () => {
  shop = await commerceUnderTest();
});
afterAll(() => shop.stop());

const monthly = (prices = [fixed(1_000)]) => shop.product({ recurring_interval: 'month', prices });

/** Buys a product for a new customer; returns the subscription as the API shows it. */
async function subscribe(productId = monthly().id, body: object = {}) {
  const { id, customer_id } = await shop.buy(productId, body);
  const { items } = await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`);
  expect(items).toHaveLength(1);
  expect(items[0].checkout_id).toBe(id);
  return items[0];
}

const systemEvents = async (name: string, id: string) =>
  (await shop.told(name)).filter((event) => event.metadata?.subscription_id === id);
const webhooksAbout = async (id: string) =>
  (await shop.outbox())
    .filter(
      (row) => row.topic === 'tributary.webhooks' && (row.value as { data: { id: string } }).data.id === id,
    )
    .map((row) => row.type);
const listed = async (query: string): Promise<string[]> =>
  (await shop.ok('GET', `/v1/subscriptions/?limit=100&${query}`)).items.map(({ id }: { id: string }) => id);

describe('a subscription', () => {
  test('shows its customer, its product, its prices and its usage', async () => {
    const meter = meterCopy({ organization_id: shop.organization.id });
    shop.put('meters', meter);
    const product = monthly([fixed(1_000), metered(meter, '0.5')]);
    const { id, customer_id } = await subscribe(product.id, { metadata: { tier: 'gold' } });
    shop.usage.set(`${customer_id} ${meter.id}`, { consumed_units: '1500.5', credited_units: 500 });
    const shown = await shop.ok('GET', `/v1/subscriptions/${id}`);
    expect(shown).toMatchObject({
      id,
      status: 'active',
      amount: 1_000,
      currency: 'usd',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      current_period_start: '2026-01-15T12:00:00.000Z',
      current_period_end: '2026-02-15T12:00:00.000Z',
      cancel_at_period_end: false,
      customer: { id: customer_id, type: 'individual' },
      product: { id: product.id, name: 'Pro' },
      discount: null,
      prices: product.prices,
      metadata: { tier: 'gold' },
      custom_field_data: {},
      pending_update: null,
      seats: null,
    });
    expect(shown.meters).toEqual([
      {
        id: expect.any(String),
        created_at: expect.any(String),
        modified_at: null,
        consumed_units: 1500.5,
        credited_units: 500,
        amount: 500,
        meter_id: meter.id,
        meter,
      },
    ]);
  });

  test('shows the last usage known while metering is out of reach', async () => {
    const meter = meterCopy({ organization_id: shop.organization.id });
    shop.put('meters', meter);
    const { id, customer_id } = await subscribe(monthly([fixed(1_000), metered(meter, '2')]).id);
    await shop.publish('customer_meters', {
      id: newId(),
      customer_id,
      meter_id: meter.id,
      consumed_units: 7,
      credited_units: 2,
      balance: -5,
    } as { id: string });
    const metering = shop.app.metering;
    const { Problem, ServiceUnavailable } = await import('@tributary/runtime/http/problem.ts');
    shop.app.metering = {
      ...metering,
      getCustomerMeters: () => Promise.reject(new Problem(ServiceUnavailable, 'gone')),
    };
    const shown = await shop.ok('GET', `/v1/subscriptions/${id}`);
    shop.app.metering = metering;
    expect(shown.meters).toMatchObject([{ consumed_units: 7, credited_units: 2, amount: 10 }]);
  });

  test('of another organization, or of none, is not found', async () => {
    const { id } = await subscribe();
    const stranger = { as: organizationToken(shop.otherOrganization().id) };
    for (const target of [`/v1/subscriptions/${id}`, `/v1/subscriptions/${newId()}`]) {
      const options = target.endsWith(id) ? stranger : {};
      expect(await shop.api('GET', target, undefined, options)).toMatchObject({
        status: 404,
        body: { error: 'ResourceNotFound' },
      });
      expect(await shop.api('DELETE', target, undefined, options)).toMatchObject({ status: 404 });
      expect(await shop.api('PATCH', target, { metadata: {} }, options)).toMatchObject({ status: 404 });
    }
    expect(await shop.ok('GET', '/v1/subscriptions/', undefined, stranger)).toMatchObject({
      items: [],
      pagination: { total_count: 0, max_page: 0 },
    });
  });

  test('is not touched by a colleague who may only read', async () => {
    const { id } = await subscribe();
    const token = personalToken([shop.organization.id]);
    const reader = { ...token, organizations: [{ id: shop.organization.id, role: 'member' as const }] };
    expect(await shop.api('GET', `/v1/subscriptions/${id}`, undefined, { as: reader })).toMatchObject({
      status: 200,
    });
    expect(
      await shop.api('PATCH', `/v1/subscriptions/${id}`, { metadata: {} }, { as: reader }),
    ).toMatchObject({ status: 403, body: { error: 'NotPermitted' } });
  });
});

describe('the list', () => {
  test('takes each filter, one value or several', async () => {
    const product = monthly();
    const one = await subscribe(product.id, { metadata: { plan: 'a' } });
    const external = `external-${newId()}`;
    const two = await subscribe(product.id, { external_customer_id: external, metadata: { plan: 'b' } });
    await shop.ok('PATCH', `/v1/subscriptions/${two.id}`, {
      cancel_at_period_end: true,
      customer_cancellation_reason: 'unused',
    });
    const three = await subscribe(product.id);
    await shop.ok('DELETE', `/v1/subscriptions/${three.id}`);
    const only = `product_id=${product.id}`;
    const sorted = (ids: string[]) => ids.toSorted();
    const finds = async (query: string, ...ids: string[]) =>
      expect([query, sorted(await listed(`${only}&${query}`))]).toEqual([query, sorted(ids)]);
    await finds('', one.id, two.id, three.id);
    await finds(`organization_id=${shop.organization.id}`, one.id, two.id, three.id);
    await finds(`organization_id=${newId()}`);
    await finds(`customer_id=${one.customer_id}`, one.id);
    await finds(`customer_id=${one.customer_id}&customer_id=${two.customer_id}`, one.id, two.id);
    await finds(`external_customer_id=${external}`, two.id);
    await finds(`discount_id=${newId()}`);
    await finds('status=active', one.id, two.id);
    await finds('status=active&status=canceled', one.id, two.id, three.id);
    await finds('active=true', one.id, two.id);
    await finds('active=false', three.id);
    await finds('cancel_at_period_end=true', two.id);
    await finds('cancel_at_period_end=false', one.id, three.id);
    await finds('customer_cancellation_reason=unused', two.id);
    await finds('customer_cancellation_reason=other&customer_cancellation_reason=unused', two.id);
    await finds('metadata[plan]=a', one.id);
    await finds('metadata[plan]=a&metadata[plan]=b', one.id, two.id);
    const now = shop.clock.now().toISOString();
    await finds(`canceled_at_after=${now}`, two.id, three.id);
    await finds(`canceled_at_before=${now}`, two.id, three.id);
    await finds('canceled_at_after=2027-01-01T00:00:00Z');
    await finds(`started_after=${now}`);
    await finds('started_after=2026-01-01T00:00:00Z', one.id, two.id, three.id);
    await finds(`started_before=${now}`);
    await finds('started_before=2027-01-01T00:00:00Z', one.id, two.id, three.id);
  });

  test('compares metadata by its text, whatever it is', async () => {
    const product = monthly();
    const metadata = { count: 3, ratio: 0.5, big: 1e21, on: true, text: '3', odd: 'a"b\\c' };
    const { id } = await subscribe(product.id, { metadata });
    const finds = async (query: string, isFound: boolean) =>
      expect([query, await listed(`product_id=${product.id}&${query}`)]).toEqual([
        query,
        isFound ? [id] : [],
      ]);
    await finds('metadata[count]=3', true);
    await finds('metadata[count]=3.0', false);
    await finds('metadata[text]=3', true);
    await finds('metadata[ratio]=0.5', true);
    await finds('metadata[big]=1000000000000000000000', true);
    await finds('metadata[on]=true', true);
    await finds('metadata[on]=false', false);
    await finds(`metadata[odd]=${encodeURIComponent('a"b\\c')}`, true);
    await finds('metadata[count]=3&metadata[on]=true', true);
    await finds('metadata[count]=3&metadata[on]=false', false);
    await finds('metadata[missing]=null', false);
    await finds("metadata[a'b]=1", false);
  });

  test.each([
    'customer',
    'status',
    'started_at',
    'current_period_end',
    'ended_at',
    'ends_at',
    'amount',
    'product',
    'discount',
  ])('is sorted by %s both ways, without gaps between pages', async (key) => {
    const product = monthly();
    await subscribe(product.id);
    await subscribe(product.id);
    await subscribe(product.id);
    const upwards = await listed(`product_id=${product.id}&sorting=${key}`);
    const downwards = await listed(`product_id=${product.id}&sorting=-${key}`);
    expect(downwards).toEqual(upwards.toReversed());
    const pages = await Promise.all(
      [1, 2, 3, 4].map(
        async (page) =>
          await shop.ok(
            'GET',
            `/v1/subscriptions/?product_id=${product.id}&sorting=${key}&limit=1&page=${page}`,
          ),
      ),
    );
    expect(pages.flatMap(({ items }) => items.map(({ id }: { id: string }) => id))).toEqual(upwards);
    expect(pages[0].pagination).toEqual({ total_count: 3, max_page: 3 });
  });

  test('sorts by what customers and products are called', async () => {
    const [zebra, apple] = ['Zebra', 'Apple'].map((name) =>
      shop.product({ recurring_interval: 'month', name }),
    );
    const first = await subscribe(zebra!.id);
    const second = await subscribe(apple!.id);
    const both = `product_id=${zebra!.id}&product_id=${apple!.id}`;
    expect(await listed(`${both}&sorting=product`)).toEqual([second.id, first.id]);
    expect(await listed(`${both}&sorting=-product`)).toEqual([first.id, second.id]);
    const byEmail = [first, second].toSorted((a, b) => (a.customer.email < b.customer.email ? -1 : 1));
    expect(await listed(`${both}&sorting=customer`)).toEqual(byEmail.map(({ id }) => id));
  });

  test('takes the same number of statements for one row as for many', async () => {
    const meter = meterCopy({ organization_id: shop.organization.id });
    shop.put('meters', meter);
    const product = monthly([fixed(1_000), metered(meter, '1')]);
    for (let count = 0; count < 6; count += 1) await subscribe(product.id);
    const list = (limit: number) =>
      shop.ok('GET', `/v1/subscriptions/?product_id=${product.id}&limit=${limit}`);
    await list(100);
    const one = await shop.statementsOf(() => list(1));
    const six = await shop.statementsOf(() => list(6));
    expect(six).toBe(one);
    expect(one).toBeLessThanOrEqual(12);
  });

  test('asks metering once for a page', async () => {
    const meter = meterCopy({ organization_id: shop.organization.id });
    shop.put('meters', meter);
    const product = monthly([fixed(1_000), metered(meter, '1')]);
    await subscribe(product.id);
    await subscribe(product.id);
    const metering = shop.app.metering;
    const asked: number[] = [];
    shop.app.metering = {
      ...metering,
      getCustomerMeters: (request) => {
        asked.push(request.keys.length);
        return metering.getCustomerMeters(request);
      },
    };
    await listed(`product_id=${product.id}`);
    shop.app.metering = metering;
    expect(asked).toEqual([2]);
  });

  test.each([
    'page=0',
    'limit=0',
    'limit=x',
    'sorting=name',
    'status=gone',
    'customer_id=1',
    'active=perhaps',
    'started_after=2026-01-01T00:00:00',
    'customer_cancellation_reason=bored',
  ])('refuses %s', async (query) => {
    const { status, body } = await shop.api('GET', `/v1/subscriptions/?${query}`);
    expect({ status, loc: body.detail[0].loc }).toEqual({ status: 422, loc: ['query', query.split('=')[0]] });
  });

  test('clamps the page size', async () => {
    expect(await shop.api('GET', '/v1/subscriptions/?limit=1000')).toMatchObject({ status: 200 });
  });
});

describe('a free subscription made by the merchant', () => {
  const free = () => monthly([fixed(0)]);
  const customer = async (external_id?: string) =>
    shop.ok('POST', '/v1/customers/', { email: `${newId().slice(0, 18)}@example.com`, external_id });

  test('is active at once and orders nothing', async () => {
    const { id: customer_id } = await customer();
    const { id: product_id } = free();
    const made = await shop.api('POST', '/v1/subscriptions/', {
      product_id,
      customer_id,
      metadata: { a: 1 },
    });
    expect(made).toMatchObject({
      status: 201,
      body: { status: 'active', amount: 0, product_id, customer_id, metadata: { a: 1 }, checkout_id: null },
    });
    expect(await webhooksAbout(made.body.id)).toEqual([
      'subscription.created',
      'subscription.updated',
      'subscription.active',
    ]);
    expect(await systemEvents('subscription.created', made.body.id)).toMatchObject([
      { metadata: { product_id, amount: 0, recurring_interval: 'month', started_at: made.body.started_at } },
    ]);
    expect(await shop.ok('GET', `/v1/orders/?subscription_id=${made.body.id}`)).toMatchObject({ items: [] });
  });

  test('finds its customer by the external id', async () => {
    const external_customer_id = `external-${newId()}`;
    const { id } = await customer(external_customer_id);
    const body = { product_id: free().id, external_customer_id };
    expect(await shop.ok('POST', '/v1/subscriptions/', body)).toMatchObject({ customer_id: id });
  });

  test.each<[string, () => object]>([
    ['costs money', () => ({ product_id: monthly().id })],
    ['is sold once', () => ({ product_id: shop.product({ prices: [fixed(0)] }).id })],
    [
      'is archived',
      () => ({
        product_id: shop.product({ recurring_interval: 'month', prices: [fixed(0)], is_archived: true }).id,
      }),
    ],
    ['does not exist', () => ({ product_id: newId() })],
    [
      'is sold by somebody else',
      () => ({
        product_id: shop.product({
          organization_id: shop.otherOrganization().id,
          recurring_interval: 'month',
          prices: [fixed(0)],
        }).id,
      }),
    ],
  ])('is refused for a product that %s', async (_why, body) => {
    const { id: customer_id } = await customer();
    expect(await shop.api('POST', '/v1/subscriptions/', { customer_id, ...body() })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'product_id'] }] },
    });
  });

  test.each<[string, object, string]>([
    ['an unknown customer', { customer_id: newId() }, 'customer_id'],
    ['an unknown external customer', { external_customer_id: 'nobody' }, 'external_customer_id'],
    ['no customer', {}, 'customer_id'],
    ['a customer id that is none', { customer_id: 'x' }, 'customer_id'],
  ])('is refused for %s', async (_why, body, key) => {
    const answer = await shop.api('POST', '/v1/subscriptions/', { product_id: free().id, ...body });
    expect(answer).toMatchObject({ status: 422 });
    expect(answer.body.detail[0].loc[1]).toBe(key);
  });
});

describe('a cancellation at the end of the period', () => {
  test('is told at once and ends nothing yet', async () => {
    const { id, current_period_end } = await subscribe();
    await shop.emptyOutbox();
    const canceled = await shop.ok('PATCH', `/v1/subscriptions/${id}`, {
      cancel_at_period_end: true,
      customer_cancellation_reason: 'too_expensive',
      customer_cancellation_comment: 'See you',
    });
    expect(canceled).toMatchObject({
      status: 'active',
      cancel_at_period_end: true,
      canceled_at: shop.clock.now().toISOString(),
      ends_at: current_period_end,
      ended_at: null,
      customer_cancellation_reason: 'too_expensive',
      customer_cancellation_comment: 'See you',
    });
    expect(await webhooksAbout(id)).toEqual(['subscription.updated', 'subscription.canceled']);
    expect(await systemEvents('subscription.canceled', id)).toMatchObject([
      {
        metadata: {
          cancel_at_period_end: true,
          ends_at: current_period_end,
          customer_cancellation_reason: 'too_expensive',
          customer_cancellation_comment: 'See you',
        },
      },
    ]);
    expect(await shop.told('subscriptions.changed')).toMatchObject([{ id, cancel_at_period_end: true }]);
    expect(await shop.told('email.send')).toMatchObject([{ template: 'subscription_cancellation' }]);
  });

  test('is refused a second time, and can be taken back', async () => {
    const { id } = await subscribe();
    const cancel = () => shop.api('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true });
    expect(await cancel()).toMatchObject({ status: 200 });
    expect(await cancel()).toMatchObject({ status: 403, body: { error: 'AlreadyCanceledSubscription' } });
    await shop.emptyOutbox();
    const back = { cancel_at_period_end: false };
    expect(await shop.ok('PATCH', `/v1/subscriptions/${id}`, back)).toMatchObject({
      cancel_at_period_end: false,
      canceled_at: null,
      ends_at: null,
    });
    expect(await webhooksAbout(id)).toEqual(['subscription.updated', 'subscription.uncanceled']);
    expect(await systemEvents('subscription.uncanceled', id)).toHaveLength(1);
    expect(await shop.api('PATCH', `/v1/subscriptions/${id}`, back)).toMatchObject({
      status: 400,
      body: { error: 'BadRequest' },
    });
  });

  test('asked twice at once is made once', async () => {
    const { id } = await subscribe();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () =>
        shop.api('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403, 403, 403]);
    expect(await systemEvents('subscription.canceled', id)).toHaveLength(1);
  });
});

describe('an end at once', () => {
  test('sets every date, and comes once', async () => {
    const { id } = await subscribe();
    await shop.emptyOutbox();
    const now = shop.clock.now().toISOString();
    const ended = await shop.ok('DELETE', `/v1/subscriptions/${id}`);
    expect(ended).toMatchObject({ status: 'canceled', canceled_at: now, ends_at: now, ended_at: now });
    expect(await webhooksAbout(id)).toEqual([
      'subscription.updated',
      'subscription.canceled',
      'subscription.revoked',
    ]);
    expect(await systemEvents('subscription.canceled', id)).toHaveLength(1);
    expect(await systemEvents('subscription.revoked', id)).toHaveLength(1);
    const gone = { status: 403, body: { error: 'AlreadyCanceledSubscription' } };
    expect(await shop.api('DELETE', `/v1/subscriptions/${id}`)).toMatchObject(gone);
    const patch = (body: object) => shop.api('PATCH', `/v1/subscriptions/${id}`, body);
    expect(await patch({ revoke: true })).toMatchObject(gone);
    expect(await patch({ cancel_at_period_end: true })).toMatchObject(gone);
    expect(await patch({ cancel_at_period_end: false })).toMatchObject({
      status: 410,
      body: { error: 'ResourceUnavailable' },
    });
  });

  test('may be asked for with a reason', async () => {
    const { id } = await subscribe();
    const body = { revoke: true, customer_cancellation_reason: 'other', customer_cancellation_comment: null };
    expect(await shop.ok('PATCH', `/v1/subscriptions/${id}`, body)).toMatchObject({
      status: 'canceled',
      customer_cancellation_reason: 'other',
    });
  });

  test('follows a cancellation that was scheduled', async () => {
    const { id } = await subscribe();
    await shop.ok('PATCH', `/v1/subscriptions/${id}`, { cancel_at_period_end: true });
    expect(await shop.ok('DELETE', `/v1/subscriptions/${id}`)).toMatchObject({ status: 'canceled' });
  });
});

describe('a change', () => {
  test('of the metadata replaces all of it', async () => {
    const { id } = await subscribe(monthly().id, { metadata: { a: 'b' } });
    await shop.emptyOutbox();
    expect(await shop.ok('PATCH', `/v1/subscriptions/${id}`, { metadata: { c: 1 } })).toMatchObject({
      metadata: { c: 1 },
    });
    expect(await webhooksAbout(id)).toEqual(['subscription.updated']);
  });

  test('of nothing is told to nobody', async () => {
    const { id, modified_at } = await subscribe();
    await shop.emptyOutbox();
    expect(await shop.ok('PATCH', `/v1/subscriptions/${id}`, {})).toMatchObject({ modified_at });
    expect(await shop.outbox()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['an unknown key', { color: 'red' }],
    ['two kinds of change', { cancel_at_period_end: true, metadata: {} }],
    ['an end that is not one', { revoke: false }],
    ['a reason nobody knows', { cancel_at_period_end: true, customer_cancellation_reason: 'bored' }],
    ['nested metadata', { metadata: { a: { b: 1 } } }],
    ['a list', []],
    ['text', 'cancel'],
    ['null', null],
  ])('is refused for %s', async (_what, body) => {
    const { id } = await subscribe();
    expect(await shop.api('PATCH', `/v1/subscriptions/${id}`, body)).toMatchObject({ status: 422 });
  });

  test('needs an id that is one', async () => {
    expect(await shop.api('PATCH', '/v1/subscriptions/1', {})).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['path', 'id'] }] },
    });
  });

  test('is made once for one idempotency key', async () => {
    const { id } = await subscribe();
    const options = { headers: { 'idempotency-key': newId() } };
    const first = await shop.api('DELETE', `/v1/subscriptions/${id}`, undefined, options);
    const again = await shop.api('DELETE', `/v1/subscriptions/${id}`, undefined, options);
    expect([first.status, again.status]).toEqual([200, 200]);
    expect(again.body).toEqual(first.body);
  });
});
