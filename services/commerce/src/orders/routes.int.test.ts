import { newId } from '@tributary/proto/id.ts';
import { customerSession, memberSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
const sold: Record<string, { checkout: string; order: string; customer: string; product: string; at: Date }> =
  {};
const external = newId();

async function sell(name: string, body: object, productBody: object) {
  commerce.clock.advance({ hours: 1 });
  const product = commerce.product({ name, ...productBody });
  const bought = await commerce.buy(product.id, body);
  const [order] = (await commerce.ok('GET', `/v1/orders/?checkout_id=${bought.id}`)).items;
  sold[name] = {
    checkout: bought.id,
    order: order.id,
    customer: bought.customer_id,
    product: product.id,
    at: commerce.clock.now(),
  };
}

beforeAll(async () => {
  commerce = await commerceUnderTest();
  await sell(
    'Beta',
    { customer_email: 'zoe@example.com', metadata: { run: 'x', size: 1 } },
    { prices: [fixed(300)] },
  );
  await sell(
    'Alpha',
    { customer_email: 'amy@example.com', external_customer_id: external, metadata: { run: 'x', size: 2 } },
    { recurring_interval: 'month', prices: [fixed(500)] },
  );
  await sell(
    'Gamma',
    { customer_email: 'max@example.com', metadata: { run: 'y', size: 2 } },
    { prices: [fixed(100)] },
  );
}, 60_000);
afterAll(() => commerce?.stop());

const names = (items: { id: string }[]) =>
  items.map(({ id }) => Object.entries(sold).find(([, { order }]) => order === id)?.[0]);
const list = async (query: string) => names((await commerce.ok('GET', `/v1/orders/?${query}`)).items);

describe('the list of orders', () => {
  test.each<[string, string[]]>([
    ['', ['Gamma', 'Alpha', 'Beta']],
    ['sorting=created_at', ['Beta', 'Alpha', 'Gamma']],
    ['sorting=-created_at', ['Gamma', 'Alpha', 'Beta']],
    ['sorting=amount', ['Gamma', 'Beta', 'Alpha']],
    ['sorting=-amount', ['Alpha', 'Beta', 'Gamma']],
    ['sorting=net_amount', ['Gamma', 'Beta', 'Alpha']],
    ['sorting=-net_amount', ['Alpha', 'Beta', 'Gamma']],
    ['sorting=customer', ['Alpha', 'Gamma', 'Beta']],
    ['sorting=-customer', ['Beta', 'Gamma', 'Alpha']],
    ['sorting=product', ['Alpha', 'Beta', 'Gamma']],
    ['sorting=-product', ['Gamma', 'Beta', 'Alpha']],
    ['sorting=status&sorting=created_at', ['Beta', 'Alpha', 'Gamma']],
    ['sorting=-status&sorting=-created_at', ['Gamma', 'Alpha', 'Beta']],
    ['sorting=-subscription', ['Alpha', 'Gamma', 'Beta']],
    ['sorting=discount&sorting=created_at', ['Beta', 'Alpha', 'Gamma']],
    ['product_billing_type=recurring', ['Alpha']],
    ['product_billing_type=one_time', ['Gamma', 'Beta']],
    ['product_billing_type=one_time&product_billing_type=recurring', ['Gamma', 'Alpha', 'Beta']],
    ['status=paid', ['Gamma', 'Alpha', 'Beta']],
    ['status=void&status=draft', []],
    ['metadata[run]=x', ['Alpha', 'Beta']],
    ['metadata[run]=x&metadata[size]=2', ['Alpha']],
    ['metadata[run]=x&metadata[run]=y', ['Gamma', 'Alpha', 'Beta']],
    ['discount_id=0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11', []],
    ['organization_id=0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11', []],
    ['limit=1&page=2', ['Alpha']],
    ['limit=1000', ['Gamma', 'Alpha', 'Beta']],
  ])('with %s is %j', async (query, found) => {
    expect(await list(query)).toEqual(found);
  });

  test('sorts by invoice number both ways', async () => {
    const { items } = await commerce.ok('GET', '/v1/orders/?sorting=invoice_number');
    const numbers = items.map((order: { invoice_number: string }) => order.invoice_number);
    expect(numbers).toEqual(numbers.toSorted());
    expect(await list('sorting=-invoice_number')).toEqual(names(items).toReversed());
  });

  test('filters by the records an order belongs to', async () => {
    const { Alpha, Beta } = sold;
    const [order] = (await commerce.ok('GET', `/v1/orders/?checkout_id=${Alpha!.checkout}`)).items;
    expect(await list(`product_id=${Alpha!.product}&product_id=${Beta!.product}`)).toEqual(['Alpha', 'Beta']);
    expect(await list(`customer_id=${Beta!.customer}`)).toEqual(['Beta']);
    expect(await list(`external_customer_id=${external}`)).toEqual(['Alpha']);
    expect(await list(`checkout_id=${Beta!.checkout}`)).toEqual(['Beta']);
    expect(await list(`subscription_id=${order.subscription_id}`)).toEqual(['Alpha']);
    expect(await list(`customer_id=${newId()}`)).toEqual([]);
  });

  test('filters by time, not counting the moment itself', async () => {
    const at = encodeURIComponent(sold.Alpha!.at.toISOString());
    expect(await list(`created_after=${at}`)).toEqual(['Gamma']);
    expect(await list(`created_before=${at}`)).toEqual(['Beta']);
    const zoned = encodeURIComponent('2026-01-15T14:30:00+01:00');
    expect(await list(`created_after=${zoned}`)).toEqual(['Gamma', 'Alpha']);
  });

  test('takes the same statements whatever its size', async () => {
    await list('limit=100');
    const few = await commerce.statementsOf(() => list('limit=1&sorting=product'));
    const many = await commerce.statementsOf(() => list('limit=100&sorting=product'));
    expect(many).toBe(few);
  });

  test('shows another organization nothing', async () => {
    const as = organizationToken(commerce.otherOrganization().id);
    expect((await commerce.ok('GET', '/v1/orders/', undefined, { as })).items).toEqual([]);
  });

  test.each(['status=lost', 'sorting=size', 'created_after=2026-01-15T12:00:00', 'product_id=x', 'page=0'])(
    'refuses %s',
    async (query) => {
      const answer = await commerce.api('GET', `/v1/orders/?${query}`);
      expect([answer.status, answer.body.detail[0].loc[0]]).toEqual([422, 'query']);
    },
  );
});

describe('an order', () => {
  test('is read whole', async () => {
    const order = await commerce.ok('GET', `/v1/orders/${sold.Beta!.order}`);
    expect(order).toMatchObject({
      id: sold.Beta!.order,
      modified_at: sold.Beta!.at.toISOString(),
      status: 'paid',
      subtotal_amount: 300,
      discount_amount: 0,
      net_amount: 300,
      tax_amount: 0,
      total_amount: 300,
      applied_balance_amount: 0,
      due_amount: 300,
      refunded_amount: 0,
      refunded_tax_amount: 0,
      refundable_amount: 300,
      refundable_tax_amount: 0,
      is_invoice_generated: false,
      next_payment_attempt_at: null,
      platform_fee_amount: 0,
      platform_fee_currency: 'usd',
      discount: null,
      product: { id: sold.Beta!.product, name: 'Beta', metadata: {} },
      customer: { id: sold.Beta!.customer, email: 'zoe@example.com' },
      custom_field_data: {},
    });
    expect(order.product).not.toHaveProperty('prices');
  });

  test('is a 404 for who does not reach it, and a 422 when it is no id', async () => {
    const as = organizationToken(commerce.otherOrganization().id);
    expect((await commerce.api('GET', `/v1/orders/${sold.Beta!.order}`, undefined, { as })).status).toBe(404);
    expect((await commerce.api('GET', `/v1/orders/${newId()}`)).status).toBe(404);
    expect((await commerce.api('GET', '/v1/orders/nonsense')).status).toBe(422);
  });

  test('needs exactly the scope to read orders', async () => {
    const as = organizationToken(commerce.organization.id, ['orders:write']);
    const answer = await commerce.api('GET', '/v1/orders/', undefined, { as });
    expect([answer.status, answer.body.error]).toEqual([403, 'insufficient_scope']);
  });
});

describe('orders in the portal', () => {
  const portal = (name: string) => ({ as: customerSession(commerce.organization.id, sold[name]!.customer) });
  const PATH = '/v1/customer-portal/orders/';

  test('are the customer’s own, with product and seller', async () => {
    const { items } = await commerce.ok('GET', PATH, undefined, portal('Alpha'));
    expect(names(items)).toEqual(['Alpha']);
    expect(items[0]).toMatchObject({
      product: { prices: [{ price_amount: 500 }], organization: { slug: commerce.organization.slug } },
      subscription: { status: 'active' },
    });
    for (const key of ['metadata', 'customer', 'platform_fee_amount'])
      expect(items[0]).not.toHaveProperty(key);
    expect(await commerce.ok('GET', `${PATH}${sold.Alpha!.order}`, undefined, portal('Alpha'))).toEqual(
      items[0],
    );
    expect((await commerce.api('GET', `${PATH}${sold.Beta!.order}`, undefined, portal('Alpha'))).status).toBe(
      404,
    );
  });

  test.each<[string, number]>([
    ['query=alph', 1],
    ['query=beta', 0],
    ['product_billing_type=one_time', 0],
    ['sorting=product&sorting=-amount', 1],
  ])('with %s are %d', async (query, count) => {
    expect((await commerce.ok('GET', `${PATH}?${query}`, undefined, portal('Alpha'))).items).toHaveLength(
      count,
    );
  });

  test('are for billing roles', async () => {
    const as = memberSession(commerce.organization.id, sold.Alpha!.customer, newId(), 'member');
    expect((await commerce.api('GET', PATH, undefined, { as })).status).toBe(403);
    const manager = memberSession(commerce.organization.id, sold.Alpha!.customer, newId(), 'billing_manager');
    expect((await commerce.api('GET', PATH, undefined, { as: manager })).status).toBe(200);
    expect((await commerce.api('GET', PATH)).status).toBe(401);
  });
});

test('invoice numbers of one customer have no gaps, though purchases come at once', async () => {
  const { customer } = sold.Beta!;
  const opened = await Promise.all(
    Array.from({ length: 8 }, () => commerce.checkout(commerce.product().id, { customer_id: customer })),
  );
  const cards = opened.map(({ client_secret }, index) =>
    commerce.confirm(client_secret, { confirmation_token_id: index % 3 === 0 ? 'tok_declined' : 'tok_visa' }),
  );
  const paid = (await Promise.all(cards)).filter(({ status }) => status === 200).length;
  const { items } = await commerce.ok('GET', `/v1/orders/?customer_id=${customer}&limit=100`);
  const numbers = items.map((order: { invoice_number: string }) => Number(order.invoice_number.slice(-4)));
  expect(numbers.toSorted((a: number, b: number) => a - b)).toEqual(
    Array.from({ length: paid + 1 }, (_, index) => index + 1),
  );
});
