import { newId } from '@tributary/proto/id.ts';
import { organizationToken, personalToken } from '@tributary/runtime/testing/principals.ts';
import { buyer, type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { custom, fixed, productCopy, seatBased } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const PATH = '/v1/checkouts/';
type Refusal = { status: number; body: { detail: { loc: (string | number)[] }[] } };
const issueOf = (answer: Refusal) => [answer.status, answer.body.detail[0]?.loc.join('.')];
const client = (secret: string) => `/v1/checkouts/client/${secret}`;

describe('opening a checkout', () => {
  test('answers with the whole session', async () => {
    const product = commerce.product({ prices: [fixed(1_000), fixed(900, 'eur')] });
    const opened = await commerce.ok('POST', PATH, {
      products: [product.id],
      metadata: { a: 1 },
      success_url: 'https://shop.test/done?checkout_id={CHECKOUT_ID}',
    });
    expect(opened).toMatchObject({
      status: 'open',
      payment_processor: 'stripe',
      client_secret: expect.stringMatching(/^trb_c_[0-9A-Za-z]{43}$/),
      url: `https://pay.test/checkout/${opened.client_secret}`,
      success_url: `https://shop.test/done?checkout_id=${opened.id}`,
      expires_at: new Date(commerce.clock.now().getTime() + 86_400_000).toISOString(),
      organization_id: commerce.organization.id,
      product_id: product.id,
      product_price_id: product.prices[0]!.id,
      product: { id: product.id, prices: product.prices },
      products: [{ id: product.id }],
      prices: { [product.id]: product.prices },
      amount: 1_000,
      discount_amount: 0,
      net_amount: 1_000,
      tax_amount: null,
      tax_behavior: null,
      total_amount: 1_000,
      currency: 'usd',
      allow_trial: true,
      allow_discount_codes: true,
      is_discount_applicable: true,
      is_free_product_price: false,
      is_payment_required: true,
      is_payment_setup_required: false,
      is_payment_form_required: true,
      require_billing_address: false,
      billing_address_fields: {
        country: 'required',
        state: 'disabled',
        line1: 'disabled',
        line2: 'disabled',
      },
      seats: null,
      discount: null,
      locale: 'en',
      metadata: { a: 1 },
      attached_custom_fields: [],
    });
    expect(await commerce.ok('GET', `${PATH}${opened.id}`)).toEqual(opened);
    const [event, webhook] = await commerce.told('checkout.created');
    expect(event).toMatchObject({
      customer_id: null,
      metadata: { checkout_id: opened.id, checkout_status: 'open', product_id: product.id },
    });
    expect(webhook.data).toEqual(opened);
  });

  test.each([
    ['DE', 'eur', 900],
    ['US', 'usd', 1_000],
    ['JP', 'usd', 1_000],
  ])('for a buyer in %s is in %s', async (country, currency, amount) => {
    const product = commerce.product({ prices: [fixed(1_000), fixed(900, 'eur')] });
    const opened = await commerce.ok('POST', PATH, {
      products: [product.id],
      customer_billing_address: { country },
    });
    expect(opened).toMatchObject({ currency, amount, total_amount: amount });
  });

  test('fills in what is known of the customer', async () => {
    const customer = await commerce.ok('POST', '/v1/customers/', {
      email: buyer().customer_email,
      name: 'Ada',
      external_id: newId(),
      billing_address: { country: 'FR', line1: '1 rue', city: 'Paris', postal_code: '75001' },
      tax_id: 'FR61954506077',
    });
    const named = [{ customer_id: customer.id }, { external_customer_id: customer.external_id }];
    for (const reference of named) {
      const opened = await commerce.ok('POST', PATH, { products: [commerce.product().id], ...reference });
      expect(opened).toMatchObject({
        customer_id: customer.id,
        external_customer_id: customer.external_id,
        customer_email: customer.email,
        customer_name: 'Ada',
        customer_billing_address: { country: 'FR', line1: '1 rue' },
        customer_tax_id: 'FR61954506077',
        require_billing_address: true,
        is_business_customer: false,
      });
    }
  });

  test('takes the older ways of naming the product', async () => {
    const product = commerce.product();
    const [price] = product.prices;
    await commerce.checkout(product.id);
    for (const body of [{ product_id: product.id }, { product_price_id: price!.id }]) {
      expect(await commerce.ok('POST', PATH, body)).toMatchObject({
        product_id: product.id,
        product_price_id: price!.id,
      });
    }
  });

  test('names each product that cannot be sold at its place', async () => {
    const good = commerce.product();
    const draft = commerce.product({ visibility: 'draft' });
    const archived = commerce.product({ is_archived: true });
    const foreign = productCopy({ organization_id: commerce.otherOrganization().id });
    commerce.put('products', foreign);
    const products = [good.id, draft.id, archived.id, foreign.id, newId(), good.id];
    const answer = await commerce.api('POST', PATH, { products });
    expect(answer.status).toBe(422);
    expect(answer.body.detail.map((issue: { loc: string[] }) => issue.loc)).toEqual(
      [1, 2, 3, 4, 5].map((index) => ['body', 'products', index]),
    );
  });

  test('of another organization’s product is a 422, also for a user who reaches both', async () => {
    const other = commerce.otherOrganization();
    const [mine, theirs] = [commerce.product(), commerce.product({ organization_id: other.id })];
    const as = organizationToken(other.id);
    expect(issueOf(await commerce.api('POST', PATH, { products: [mine.id] }, { as }))).toEqual([
      422,
      'body.products.0',
    ]);
    const both = { as: personalToken([commerce.organization.id, other.id]) };
    expect(issueOf(await commerce.api('POST', PATH, { products: [mine.id, theirs.id] }, both))).toEqual([
      422,
      'body.products.1',
    ]);
    expect((await commerce.ok('POST', PATH, { products: [theirs.id] }, both)).organization_id).toBe(other.id);
  });

  describe('is refused at', () => {
    const id = () => newId();
    test.each<[string, () => object]>([
      ['body.products', () => ({ products: [] })],
      ['body.products', () => ({})],
      ['body.products.0', () => ({ products: ['nonsense'] })],
      ['body.currency', () => ({ currency: 'eur' })],
      ['body.currency', () => ({ currency: 'xxx' })],
      ['body.seats', () => ({ seats: 2 })],
      ['body.seats', () => ({ seats: 0 })],
      ['body.discount_id', () => ({ discount_id: id() })],
      ['body.customer_id', () => ({ customer_id: id() })],
      ['body.subscription_id', () => ({ subscription_id: id() })],
      ['body.customer_email', () => ({ customer_email: 'nobody' })],
      ['body.customer_tax_id', () => ({ customer_tax_id: 'FR61954506077' })],
      ['body.trial_interval_count', () => ({ trial_interval: 'day' })],
      ['body.trial_interval', () => ({ trial_interval_count: 3 })],
      ['body.success_url', () => ({ success_url: 'ftp://x' })],
      ['body.return_url', () => ({ return_url: 'nowhere' })],
      ['body.customer_ip_address', () => ({ customer_ip_address: '300.1.1.1' })],
      ['body.customer_billing_address.country', () => ({ customer_billing_address: { country: 'RU' } })],
      ['body.metadata.k', () => ({ metadata: { k: null } })],
      ['body.prices', () => ({ prices: { nonsense: [] } })],
    ])('%s', async (loc, body) => {
      const answer = await commerce.api('POST', PATH, {
        ...('products' in body() || Object.keys(body()).length === 0
          ? {}
          : { products: [commerce.product().id] }),
        ...body(),
      });
      expect([answer.status, answer.body.detail[0].loc.join('.').startsWith(loc)]).toEqual([422, true]);
    });
  });

  test('checks custom amounts and seats against their prices', async () => {
    const donation = commerce.product({ prices: [custom(500, 5_000)] });
    for (const amount of [499, 5_001, 20]) {
      const answer = await commerce.api('POST', PATH, { products: [donation.id], amount });
      expect(issueOf(answer)).toEqual([422, 'body.amount']);
    }
    const ignored = await commerce.ok('POST', PATH, { products: [commerce.product().id], amount: 7 });
    expect(ignored.amount).toBe(1_000);
    const seats = commerce.product({ prices: [seatBased(100)] });
    const bounds = await commerce.ok('POST', PATH, { products: [seats.id], min_seats: 3, max_seats: 5 });
    expect(bounds).toMatchObject({ seats: 3, amount: 300 });
    for (const body of [
      { seats: 2, min_seats: 3 },
      { seats: 6, max_seats: 5 },
    ]) {
      expect(issueOf(await commerce.api('POST', PATH, { products: [seats.id], ...body }))).toEqual([
        422,
        'body.seats',
      ]);
    }
    const crossed = await commerce.api('POST', PATH, { products: [seats.id], min_seats: 5, max_seats: 4 });
    expect(issueOf(crossed)).toEqual([422, 'body.max_seats']);
  });

  test('refuses what adds up to more than can be charged in the currency', async () => {
    const most = 99_999_999;
    const seats = commerce.product({ prices: [fixed(most - 600), seatBased(300)] });
    const open = (body: object) => commerce.api('POST', PATH, { products: [seats.id], ...body });
    expect((await open({ seats: 2 })).body.amount).toBe(most);
    expect(issueOf(await open({ seats: 3 }))).toEqual([422, 'body.seats']);
    expect(issueOf(await open({ min_seats: 3 }))).toEqual([422, 'body.seats']);
    const { body: opened } = await open({});
    const patch = { seats: 10_000 };
    expect(issueOf(await commerce.api('PATCH', PATH + opened.id, patch))).toEqual([422, 'body.seats']);
    const asBuyer = await commerce.request('PATCH', `${PATH}client/${opened.client_secret}`, { body: patch });
    expect(issueOf(asBuyer)).toEqual([422, 'body.seats']);
    expect(issueOf(await commerce.confirm(opened.client_secret, patch))).toEqual([422, 'body.seats']);
    const donation = { products: [commerce.product({ prices: [custom(500)] }).id] };
    expect((await commerce.api('POST', PATH, { ...donation, amount: most })).body.amount).toBe(most);
    const tooMuch = await commerce.api('POST', PATH, { ...donation, amount: most + 1 });
    expect(issueOf(tooMuch)).toEqual([422, 'body.amount']);
  });

  test('refuses prices of its own where the catalog does, and those of products it does not sell', async () => {
    const { id } = commerce.product();
    const dear = { amount_type: 'fixed', price_amount: 100 };
    const open = (prices: object) => commerce.api('POST', PATH, { products: [id], prices });
    expect((await open({ [id]: [dear] })).body.amount).toBe(100);
    const cheap = await open({ [id]: [dear, { ...dear, price_amount: 49 }] });
    expect(issueOf(cheap)).toEqual([422, `body.prices.${id}.1.price_amount`]);
    const stray = newId();
    expect(issueOf(await open({ [stray]: [dear] }))).toEqual([422, `body.prices.${stray}`]);
    expect(issueOf(await open({ [id]: [] }))).toEqual([422, `body.prices.${id}`]);
    expect(issueOf(await open({ [id]: [{ ...dear, note: 'x'.repeat(1024 * 1024) }] }))).toEqual([
      422,
      'body.prices',
    ]);
  });

  test('is done once for one idempotency key', async () => {
    const options = { headers: { 'idempotency-key': newId() } };
    const body = { products: [commerce.product().id] };
    const first = await commerce.ok('POST', PATH, body, options);
    expect(await commerce.ok('POST', PATH, body, options)).toEqual(first);
  });
});

describe('changing a checkout', () => {
  test('to another product starts its quantities anew, in a currency it is sold in', async () => {
    const seats = commerce.product({ prices: [seatBased(100)] });
    const euro = commerce.product({ prices: [fixed(700, 'eur')] });
    const opened = await commerce.ok('POST', PATH, { products: [seats.id, euro.id], seats: 4 });
    const moved = await commerce.ok('PATCH', `${PATH}${opened.id}`, { product_id: euro.id });
    expect(moved).toMatchObject({ product_id: euro.id, seats: null, currency: 'eur', amount: 700 });
    const back = await commerce.ok('PATCH', `${PATH}${opened.id}`, { product_id: seats.id });
    expect(back).toMatchObject({ seats: 1, currency: 'usd', amount: 100 });
    const stray = await commerce.api('PATCH', `${PATH}${opened.id}`, { product_id: commerce.product().id });
    expect(issueOf(stray)).toEqual([422, 'body.product_id']);
  });

  test('by its merchant changes settings, prefill and metadata', async () => {
    const opened = await commerce.checkout(commerce.product({ recurring_interval: 'month' }).id);
    await commerce.emptyOutbox();
    commerce.clock.advance({ seconds: 1 });
    const changed = await commerce.ok('PATCH', `${PATH}${opened.id}`, {
      trial_interval: 'week',
      trial_interval_count: 2,
      metadata: { b: 2 },
      customer_metadata: { c: 3 },
      require_billing_address: true,
      allow_discount_codes: false,
      success_url: 'https://shop.test/',
      customer_name: null,
    });
    expect(changed).toMatchObject({
      trial_interval: 'week',
      active_trial_interval: 'week',
      trial_end: new Date(commerce.clock.now().getTime() + 14 * 86_400_000).toISOString(),
      is_payment_required: false,
      metadata: { b: 2 },
      customer_metadata: { c: 3 },
      require_billing_address: true,
      allow_discount_codes: false,
      success_url: 'https://shop.test/',
      customer_name: null,
      customer_email: opened.customer_email,
      modified_at: commerce.clock.now().toISOString(),
    });
    expect(await commerce.webhooks()).toEqual(['checkout.updated']);
    const cleared = await commerce.ok('PATCH', `${PATH}${opened.id}`, {
      trial_interval: null,
      trial_interval_count: null,
    });
    expect(cleared).toMatchObject({ trial_interval: null, trial_end: null });
  });

  test('by its buyer shows nothing of the merchant’s and asks for what the address needs', async () => {
    const opened = await commerce.ok('POST', PATH, {
      products: [commerce.product().id],
      metadata: { secret: 'plan' },
    });
    const changed = await commerce.ok('PATCH', client(opened.client_secret), {
      customer_email: buyer().customer_email,
      is_business_customer: true,
      customer_billing_name: 'Acme GmbH',
      customer_billing_address: { country: 'DE' },
      customer_tax_id: 'DE123456789',
    });
    expect(changed).toMatchObject({
      is_business_customer: true,
      customer_tax_id: 'DE123456789',
      tax_amount: 0,
      tax_behavior: 'inclusive',
      billing_address_fields: {
        country: 'required',
        state: 'optional',
        line1: 'required',
        line2: 'optional',
      },
      organization: { id: commerce.organization.id, name: 'Acme', slug: commerce.organization.slug },
    });
    for (const key of [
      'metadata',
      'customer_metadata',
      'external_customer_id',
      'subscription_id',
      'trial_interval',
    ]) {
      expect(changed).not.toHaveProperty(key);
    }
    expect(changed.organization).not.toHaveProperty('feature_settings');
    const person = await commerce.ok('PATCH', client(opened.client_secret), { is_business_customer: false });
    expect(person).toMatchObject({ customer_billing_name: null, customer_tax_id: null });
    expect(await commerce.ok('GET', client(opened.client_secret))).toEqual(person);
  });

  test('keeps the address of a linked customer', async () => {
    const { id, email } = await commerce.ok('POST', '/v1/customers/', { email: buyer().customer_email });
    const opened = await commerce.ok('POST', PATH, { products: [commerce.product().id], customer_id: id });
    const changed = await commerce.ok('PATCH', client(opened.client_secret), {
      customer_email: 'eve@example.com',
    });
    expect(changed.customer_email).toBe(email);
  });

  test.each<[string, object]>([
    ['body.discount_code', { discount_code: 'NOPE' }],
    ['body.allow_trial', { allow_trial: true }],
    ['body.seats', { seats: 2 }],
    ['body.customer_email', { customer_email: 'x' }],
    ['body.customer_billing_address.state', { customer_billing_address: { country: 'US', state: 'ZZ' } }],
  ])('is refused at %s', async (loc, body) => {
    const opened = await commerce.checkout(commerce.product().id);
    expect(issueOf(await commerce.api('PATCH', client(opened.client_secret), body))).toEqual([422, loc]);
  });

  test('is refused once it is not open, and to strangers', async () => {
    const bought = await commerce.buy(commerce.product().id);
    for (const path of [`${PATH}${bought.id}`, client(bought.client_secret)]) {
      const answer = await commerce.api('PATCH', path, {});
      expect([answer.status, answer.body.error]).toEqual([403, 'NotOpenCheckout']);
    }
    const as = organizationToken(commerce.otherOrganization().id);
    for (const method of ['GET', 'PATCH']) {
      const body = method === 'PATCH' ? {} : undefined;
      expect((await commerce.api(method, `${PATH}${bought.id}`, body, { as })).status).toBe(404);
      expect((await commerce.api(method, `${PATH}${newId()}`, body)).status).toBe(404);
      expect((await commerce.api(method, `${PATH}nonsense`, body)).status).toBe(422);
      expect((await commerce.api(method, client('trb_c_nobody'), body)).status).toBe(404);
    }
  });

  test('while another request does so is a 409', async () => {
    const opened = await commerce.checkout(commerce.product().id);
    const answer = await commerce.app.db.transaction(async (tx) => {
      await tx.query('select 1 from checkouts where id = $1 for update', [opened.id]);
      return commerce.api('PATCH', `${PATH}${opened.id}`, {});
    });
    expect([answer.status, answer.body.error]).toEqual([409, 'CheckoutLocked']);
  });

  test('is only shown on pages the organization allows', async () => {
    const strict = commerce.otherOrganization({ embed_hosts: ['shop.test'], embed_hosts_enforced: true });
    const product = commerce.product({ organization_id: strict.id });
    const as = organizationToken(strict.id);
    const open = (embed_origin: string) =>
      commerce.ok('POST', PATH, { products: [product.id], embed_origin }, { as });
    const good = await open('https://shop.test');
    expect((await commerce.api('GET', client(good.client_secret))).status).toBe(200);
    const bad = await commerce.api('GET', client((await open('https://evil.test')).client_secret));
    expect([bad.status, bad.body.error]).toEqual([403, 'EmbedHostNotAllowed']);
  });
});

describe('the list of checkouts', () => {
  const opened: Record<string, { id: string; customer_id: string; client_secret: string }> = {};
  let products: { id: string }[];
  let external: string;
  const list = async (query: string) => {
    const { items } = await commerce.ok(
      'GET',
      `${PATH}?product_id=${products.map(({ id }) => id).join('&product_id=')}&${query}`,
    );
    const names = Object.entries(opened);
    return items.map((item: { id: string }) => names.find(([, { id }]) => id === item.id)?.[0]);
  };
  beforeAll(async () => {
    products = [commerce.product(), commerce.product()];
    external = newId();
    opened.bought = await commerce.buy(products[0]!.id, { customer_email: `amy-${external}@example.com` });
    commerce.clock.advance({ minutes: 1 });
    opened.open = await commerce.checkout(products[0]!.id, { customer_email: `ZOE-${external}@example.com` });
    commerce.clock.advance({ minutes: 1 });
    opened.external = await commerce.checkout(products[1]!.id, { external_customer_id: external });
  });

  test.each<[string, string[]]>([
    ['', ['external', 'open', 'bought']],
    ['sorting=created_at', ['bought', 'open', 'external']],
    ['sorting=-expires_at', ['external', 'open', 'bought']],
    ['sorting=expires_at', ['bought', 'open', 'external']],
    ['sorting=-status&sorting=created_at', ['bought', 'open', 'external']],
    ['sorting=status&sorting=-created_at', ['external', 'open', 'bought']],
    ['status=succeeded', ['bought']],
    ['status=open&status=succeeded', ['external', 'open', 'bought']],
    ['query=zoe-', ['open']],
    ['query=%25%25', []],
    ['organization_id=0b7ba5b0-9e2b-4a7c-8a63-2f0f6f1f3c11', []],
    ['limit=1&page=2', ['open']],
  ])('with %s is %j', async (query, names) => {
    expect(await list(query)).toEqual(names);
  });

  test('filters by product, customer and external customer id', async () => {
    const ids = async (query: string) =>
      (await commerce.ok('GET', `${PATH}?${query}`)).items.map(({ id }: { id: string }) => id);
    expect(await ids(`product_id=${products[1]!.id}`)).toEqual([opened.external!.id]);
    expect(await ids(`customer_id=${opened.bought!.customer_id}`)).toEqual([opened.bought!.id]);
    expect(await ids(`external_customer_id=${external}`)).toEqual([opened.external!.id]);
    expect(await ids(`customer_id=${newId()}`)).toEqual([]);
    const as = organizationToken(commerce.otherOrganization().id);
    expect((await commerce.ok('GET', PATH, undefined, { as })).pagination).toEqual({
      total_count: 0,
      max_page: 0,
    });
  });

  test('takes the same statements whatever its size', async () => {
    await commerce.ok('GET', `${PATH}?limit=100`);
    const few = await commerce.statementsOf(() => commerce.ok('GET', `${PATH}?limit=1`));
    const many = await commerce.statementsOf(() => commerce.ok('GET', `${PATH}?limit=100`));
    expect(many).toBe(few);
  });

  test.each(['status=lost', 'sorting=amount', 'customer_id=x', 'limit=0'])('refuses %s', async (query) => {
    const answer = await commerce.api('GET', `${PATH}?${query}`);
    expect([answer.status, answer.body.detail[0].loc[0]]).toEqual([422, 'query']);
  });
});
