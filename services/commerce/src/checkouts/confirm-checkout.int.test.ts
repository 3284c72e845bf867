import { newId } from '@tributary/proto/id.ts';
import { customerSession } from '@tributary/runtime/testing/principals.ts';
import { buyer, type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { custom, fixed, meterCopy, metered, seatBased } from '../testing/copies.ts';
import { resumeCheckouts } from './resume-checkouts.flow.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const monthly = (amount = 1_000) =>
  commerce.product({ recurring_interval: 'month', prices: [fixed(amount)] });
const ordersOf = async (checkoutId: string) =>
  (await commerce.ok('GET', `/v1/orders/?checkout_id=${checkoutId}`)).items;
const orderOf = async (checkoutId: string) => {
  const found = await ordersOf(checkoutId);
  expect(found).toHaveLength(1);
  return found[0];
};
const read = (id: string) => commerce.ok('GET', `/v1/checkouts/${id}`);
const paymentsOf = (checkoutId: string) =>
  commerce.app.db.query(
    'select status, amount, decline_reason, order_id from payments where checkout_id = $1',
    [checkoutId],
  );

describe('a confirmed checkout', () => {
  test('of a recurring product makes customer, subscription and paid order, and tells it in order', async () => {
    const meter = meterCopy({ organization_id: commerce.organization.id });
    commerce.put('meters', meter);
    const product = commerce.product({
      recurring_interval: 'month',
      prices: [fixed(1_000), metered(meter, '0.5')],
    });
    const opened = await commerce.checkout(product.id, {
      external_customer_id: 'ext-1',
      metadata: { run: 'a' },
      customer_metadata: { tier: 'gold' },
    });
    expect(opened).toMatchObject({ status: 'open', amount: 1_000, total_amount: 1_000, currency: 'usd' });
    await commerce.emptyOutbox();

    const answer = await commerce.confirm(opened.client_secret);
    expect([answer.status, answer.body.status]).toEqual([200, 'confirmed']);
    expect(answer.body.customer_session_token).toMatch(/^trb_mst_/);
    expect(answer.body).not.toHaveProperty('metadata');

    const order = await orderOf(opened.id);
    expect(order).toMatchObject({
      status: 'paid',
      paid: true,
      billing_reason: 'subscription_create',
      total_amount: 1_000,
      due_amount: 1_000,
      metadata: { run: 'a' },
      subscription: { status: 'active', amount: 1_000, currency: 'usd', metadata: { run: 'a' } },
      customer: { external_id: 'ext-1', name: 'Ada Buyer', type: 'individual', metadata: { tier: 'gold' } },
      items: [{ label: 'Pro', amount: 1_000, proration: false }],
    });
    expect(order.invoice_number).toMatch(/^ACME-.+-[A-Z]{8}-0001$/);
    expect(order.receipt_number).toMatch(/^RCPT-[A-Z]{8}-0001$/);
    expect(await commerce.webhooks()).toEqual([
      'customer.created',
      'member.created',
      'checkout.updated',
      'subscription.created',
      'subscription.updated',
      'subscription.active',
      'order.created',
      'order.updated',
      'order.paid',
      'checkout.updated',
    ]);
    expect((await commerce.told('order.paid')).at(0).metadata).toMatchObject({
      order_id: order.id,
      billing_type: 'recurring',
      amount: 1_000,
      subscription_id: order.subscription_id,
    });
    expect((await commerce.told('balance.order'))[0].metadata).toMatchObject({
      order_id: order.id,
      amount: 1_000,
    });
    expect((await commerce.told('subscription.created'))[0].metadata).toMatchObject({
      product_id: product.id,
    });
    const [mail] = await commerce.told('email.send');
    expect(mail).toMatchObject({ template: 'subscription_confirmation', to: opened.customer_email });
    expect(await read(opened.id)).toMatchObject({ status: 'succeeded', customer_id: order.customer_id });
  });

  test('of a one-time product makes an order without a subscription', async () => {
    const product = commerce.product();
    const bought = await commerce.buy(product.id);
    expect(await orderOf(bought.id)).toMatchObject({
      billing_reason: 'purchase',
      subscription_id: null,
      subscription: null,
      status: 'paid',
      description: 'Pro',
      billing_name: 'Ada Buyer',
      billing_address: { country: 'US', state: 'US-NY' },
    });
  });

  test('of a free product needs no card and makes a paid order of nothing', async () => {
    const product = commerce.product({ recurring_interval: 'month', prices: [fixed(0)] });
    const opened = await commerce.checkout(product.id, {
      customer_billing_address: null,
      customer_name: null,
    });
    expect(opened).toMatchObject({ is_free_product_price: true, is_payment_form_required: false });
    const answer = await commerce.confirm(opened.client_secret, { confirmation_token_id: null });
    expect(answer.status).toBe(200);
    expect(await orderOf(opened.id)).toMatchObject({ status: 'paid', total_amount: 0, receipt_number: null });
    expect(await paymentsOf(opened.id)).toEqual([]);
  });

  test('with a trial saves the card, starts trialing and owes nothing', async () => {
    const product = commerce.product({
      recurring_interval: 'month',
      trial_interval: 'day',
      trial_interval_count: 14,
    });
    const opened = await commerce.checkout(product.id);
    expect(opened).toMatchObject({
      active_trial_interval: 'day',
      active_trial_interval_count: 14,
      is_payment_required: false,
      is_payment_setup_required: true,
      total_amount: 1_000,
    });
    await commerce.confirm(opened.client_secret);
    const order = await orderOf(opened.id);
    expect(order).toMatchObject({
      status: 'paid',
      total_amount: 0,
      items: [{ amount: 0, product_price_id: null, label: 'Trial of Pro (2026-01-15 to 2026-01-29)' }],
      subscription: { status: 'trialing', trial_end: '2026-01-29T12:00:00.000Z', amount: 1_000 },
    });
    const methods = await commerce.ok('GET', `/v1/customers/${order.customer_id}/payment-methods`);
    expect(methods.items).toMatchObject([
      { is_default: true, method_metadata: { last4: '4242', brand: 'visa' } },
    ]);
  });

  test('of a declined trial charges at once', async () => {
    const product = commerce.product({
      recurring_interval: 'month',
      trial_interval: 'day',
      trial_interval_count: 14,
    });
    const opened = await commerce.checkout(product.id);
    await commerce.confirm(opened.client_secret, { allow_trial: false });
    expect(await orderOf(opened.id)).toMatchObject({
      total_amount: 1_000,
      subscription: { status: 'active' },
    });
  });

  test('of seats makes the customer a team and copies their number', async () => {
    const product = commerce.product({ recurring_interval: 'month', prices: [seatBased(500)] });
    const opened = await commerce.checkout(product.id, { seats: 3, success_url: 'https://shop.test/done' });
    expect(opened).toMatchObject({ seats: 3, amount: 1_500 });
    await commerce.confirm(opened.client_secret);
    expect(await orderOf(opened.id)).toMatchObject({
      seats: 3,
      total_amount: 1_500,
      items: [{ label: 'Pro (3 seats)' }],
      subscription: { seats: 3 },
      customer: { type: 'team' },
    });
  });

  test('of a custom price charges what the buyer chose', async () => {
    const product = commerce.product({ prices: [custom(500, 10_000)] });
    const opened = await commerce.checkout(product.id);
    expect(opened.amount).toBe(500);
    await commerce.confirm(opened.client_secret, { amount: 2_500 });
    expect(await orderOf(opened.id)).toMatchObject({ total_amount: 2_500, items: [{ amount: 2_500 }] });
  });

  test('of prices of its own charges those', async () => {
    const product = monthly();
    const opened = await commerce.checkout(product.id, {
      prices: { [product.id]: [{ amount_type: 'fixed', price_amount: 700 }] },
    });
    expect(opened.prices[product.id]).toMatchObject([{ source: 'ad_hoc', price_amount: 700 }]);
    await commerce.confirm(opened.client_secret);
    const order = await orderOf(opened.id);
    expect(order).toMatchObject({ total_amount: 700, subscription: { amount: 700 } });
    expect(order.items[0].product_price_id).toBe(opened.prices[product.id][0].id);
  });

  test('that upgrades a free subscription moves it to the new product', async () => {
    const free = commerce.product({ recurring_interval: 'month', prices: [fixed(0)] });
    const first = await commerce.checkout(free.id);
    await commerce.confirm(first.client_secret, { confirmation_token_id: null });
    const { subscription_id, customer_id } = await orderOf(first.id);
    const paid = monthly();
    await commerce.emptyOutbox();
    const opened = await commerce.ok('POST', '/v1/checkouts/', { products: [paid.id], subscription_id });
    expect(opened).toMatchObject({ customer_id, customer_name: 'Ada Buyer' });
    commerce.clock.advance({ days: 10 });
    const reopened = await commerce.ok('POST', '/v1/checkouts/', { products: [paid.id], subscription_id });
    await commerce.confirm(reopened.client_secret);
    expect(await orderOf(reopened.id)).toMatchObject({
      billing_reason: 'subscription_update',
      subscription_id,
      total_amount: 1_000,
      subscription: {
        product_id: paid.id,
        amount: 1_000,
        current_period_start: commerce.clock.now().toISOString(),
      },
    });
    expect((await commerce.told('subscription.product_updated'))[0].metadata).toEqual({
      subscription_id,
      old_product_id: free.id,
      new_product_id: paid.id,
    });
  });
});

describe('one charge, one order', () => {
  test('though two confirmations come at once', async () => {
    const opened = await commerce.checkout(monthly().id);
    const answers = await Promise.all([1, 2, 3].map(() => commerce.confirm(opened.client_secret)));
    const statuses = answers.map(({ status, body }) => (status === 200 ? 'confirmed' : body.error)).sort();
    expect(statuses.filter((status) => status === 'confirmed')).toHaveLength(1);
    expect(new Set(statuses.filter((status) => status !== 'confirmed'))).toEqual(
      new Set(statuses.filter((status) => status === 'CheckoutLocked' || status === 'NotOpenCheckout')),
    );
    await orderOf(opened.id);
    expect(await paymentsOf(opened.id)).toHaveLength(1);
  });

  test('though the confirmation is sent again under its idempotency key', async () => {
    const opened = await commerce.checkout(monthly().id);
    const headers = { 'idempotency-key': newId() };
    const first = await commerce.confirm(opened.client_secret, {}, { headers });
    const again = await commerce.confirm(opened.client_secret, {}, { headers });
    expect(again.body).toEqual(first.body);
    expect(again.headers.get('idempotency-replayed')).toBe('true');
    await orderOf(opened.id);
    const other = await commerce.confirm(opened.client_secret, { customer_name: 'Eve' }, { headers });
    expect(other.status).toBe(422);
  });

  test('though the process dies between charge and fulfilment', async () => {
    const opened = await commerce.checkout(monthly().id);
    const dying = new Error('the process dies here');
    const { processor } = commerce.app;
    commerce.app.processor = {
      ...processor,
      async confirm(...args) {
        await processor.confirm(...args);
        throw dying;
      },
    };
    const answer = await commerce.confirm(opened.client_secret);
    commerce.app.processor = processor;
    expect([answer.status, answer.body.status]).toEqual([200, 'confirmed']);
    expect((await read(opened.id)).status).toBe('confirmed');
    expect(await ordersOf(opened.id)).toEqual([]);

    await resumeCheckouts(commerce.app, commerce.clock.now());
    expect(await ordersOf(opened.id)).toEqual([]);
    commerce.clock.advance({ minutes: 2 });
    await Promise.all([1, 2].map(() => resumeCheckouts(commerce.app, commerce.clock.now())));
    await resumeCheckouts(commerce.app, commerce.clock.now());

    expect(await orderOf(opened.id)).toMatchObject({ status: 'paid' });
    expect((await read(opened.id)).status).toBe('succeeded');
    const [charges] = await commerce.app.db.query('select count(*) from sandbox_intents where key like $1', [
      `checkout/${opened.id}/%`,
    ]);
    expect(charges.count).toBe(1);
  });

  test('though the process dies and the request comes again under its key', async () => {
    const opened = await commerce.checkout(monthly().id);
    const { processor } = commerce.app;
    const headers = { 'idempotency-key': newId() };
    commerce.app.processor = { ...processor, confirm: () => Promise.reject(new Error('unreachable')) };
    await commerce.confirm(opened.client_secret, {}, { headers });
    commerce.app.processor = processor;
    // As after a crash: the effect is there, the stored answer is not.
    await commerce.app.db.query('delete from idempotency_keys');
    const again = await commerce.confirm(opened.client_secret, {}, { headers });
    expect([again.status, again.body.status]).toEqual([200, 'confirmed']);
    expect(again.body.customer_session_token).not.toBeNull();
    await orderOf(opened.id);
    const stranger = await commerce.confirm(
      opened.client_secret,
      {},
      { headers: { 'idempotency-key': newId() } },
    );
    expect([stranger.status, stranger.body.error]).toEqual([403, 'NotOpenCheckout']);
  });

  test('though its customer is deleted before it is fulfilled: what would go on ends at once', async () => {
    const opened = await commerce.checkout(monthly().id, { external_customer_id: newId() });
    const { processor } = commerce.app;
    commerce.app.processor = { ...processor, confirm: () => Promise.reject(new Error('unreachable')) };
    await commerce.confirm(opened.client_secret);
    commerce.app.processor = processor;
    await commerce.ok('DELETE', `/v1/customers/external/${opened.external_customer_id}?anonymize=true`);
    commerce.clock.advance({ minutes: 2 });
    await resumeCheckouts(commerce.app, commerce.clock.now());
    const order = await orderOf(opened.id);
    expect(order).toMatchObject({ status: 'paid', subscription: { status: 'canceled' } });
    expect(order.billing_name).not.toContain('Ada');
    const methods = await commerce.app.db.query(
      'select 1 from payment_methods where customer_id = $1 and deleted_at is null',
      [order.customer_id],
    );
    expect(methods).toEqual([]);
  });

  test('at the price the buyer agreed to, though the catalog changes before it is fulfilled', async () => {
    const product = monthly();
    const opened = await commerce.checkout(product.id);
    const { processor } = commerce.app;
    commerce.app.processor = { ...processor, confirm: () => Promise.reject(new Error('unreachable')) };
    await commerce.confirm(opened.client_secret);
    commerce.app.processor = processor;
    await commerce.publish('products', {
      ...product,
      prices: [{ ...product.prices[0]!, price_amount: 9_900 }],
    } as never);
    commerce.clock.advance({ minutes: 2 });
    await resumeCheckouts(commerce.app, commerce.clock.now());
    expect(await orderOf(opened.id)).toMatchObject({ total_amount: 1_000, subscription: { amount: 1_000 } });
  });
});

describe('a refused card', () => {
  test.each([
    ['tok_declined', 'card_declined'],
    ['tok_insufficient_funds', 'insufficient_funds'],
    ['tok_expired', 'expired_card'],
    ['tok_nobody_made', 'invalid_token'],
  ])('%s leaves the checkout open for another try', async (token, reason) => {
    const opened = await commerce.checkout(monthly().id);
    const refused = await commerce.confirm(opened.client_secret, { confirmation_token_id: token });
    expect([refused.status, refused.body.error]).toEqual([400, 'PaymentError']);
    expect((await read(opened.id)).status).toBe('open');
    expect(await paymentsOf(opened.id)).toMatchObject([
      { status: 'failed', decline_reason: reason, order_id: null },
    ]);
    expect((await commerce.confirm(opened.client_secret)).status).toBe(200);
    const order = await orderOf(opened.id);
    expect(await paymentsOf(opened.id)).toMatchObject([
      { status: 'failed' },
      { status: 'succeeded', amount: 1_000, order_id: order.id },
    ]);
  });
});

describe('a card with a second step', () => {
  const complete = (secret: string, body: object = {}) =>
    commerce.request('POST', `/v1/sandbox/payment-intents/${secret}/complete`, { body });

  async function waiting() {
    const opened = await commerce.checkout(monthly().id);
    const answer = await commerce.confirm(opened.client_secret, { confirmation_token_id: 'tok_3ds' });
    expect(answer.body).toMatchObject({
      status: 'confirmed',
      payment_processor_metadata: { intent_status: 'requires_action' },
    });
    return { id: opened.id, secret: answer.body.payment_processor_metadata.intent_client_secret };
  }

  test('is charged once its buyer has taken it', async () => {
    const { id, secret } = await waiting();
    expect(await ordersOf(id)).toEqual([]);
    expect((await complete(secret)).body).toEqual({ status: 'succeeded' });
    expect(await orderOf(id)).toMatchObject({ status: 'paid' });
    expect(await read(id)).toMatchObject({ status: 'succeeded', payment_processor_metadata: {} });
    expect((await complete(secret)).status).toBe(404);
  });

  test('opens the checkout again when its buyer fails it', async () => {
    const { id, secret } = await waiting();
    expect((await complete(secret, { outcome: 'refused' })).body).toEqual({ status: 'failed' });
    expect(await read(id)).toMatchObject({ status: 'open', payment_processor_metadata: {} });
  });

  test('opens the checkout again when nobody takes it for half an hour', async () => {
    const { id, secret } = await waiting();
    commerce.clock.advance({ minutes: 2 });
    await resumeCheckouts(commerce.app, commerce.clock.now());
    expect((await read(id)).status).toBe('confirmed');
    commerce.clock.advance({ minutes: 31 });
    await resumeCheckouts(commerce.app, commerce.clock.now());
    expect((await read(id)).status).toBe('open');
    expect((await complete(secret)).status).toBe(404);
  });
});

describe('who buys', () => {
  test('is found by a typed e-mail address, without a session as nothing proves it', async () => {
    const details = buyer();
    const first = await commerce.buy(monthly().id, details);
    const opened = await commerce.checkout(monthly().id, {
      ...details,
      customer_email: details.customer_email.toUpperCase(),
      customer_name: 'Somebody Else',
    });
    const answer = await commerce.confirm(opened.client_secret);
    expect(answer.body.customer_session_token).toBeNull();
    expect(await orderOf(opened.id)).toMatchObject({
      customer_id: first.customer_id,
      customer: { name: 'Ada Buyer', email: details.customer_email },
      invoice_number: expect.stringMatching(/-0002$/),
    });
  });

  test('is one customer though two first purchases come at once', async () => {
    const details = buyer();
    const opened = await Promise.all([1, 2].map(() => commerce.checkout(commerce.product().id, details)));
    const answers = await Promise.all(opened.map(({ client_secret }) => commerce.confirm(client_secret)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const found = await commerce.ok(
      'GET',
      `/v1/customers/?email=${encodeURIComponent(details.customer_email)}`,
    );
    expect(found.pagination.total_count).toBe(1);
    const numbers = await Promise.all(
      opened.map(async ({ id }) => (await orderOf(id)).invoice_number.slice(-4)),
    );
    expect(numbers.toSorted()).toEqual(['0001', '0002']);
  });

  test('is the customer of the external id, whatever address is typed', async () => {
    const customer = await commerce.ok('POST', '/v1/customers/', {
      email: buyer().customer_email,
      external_id: newId(),
    });
    const opened = await commerce.checkout(monthly().id, { external_customer_id: customer.external_id });
    expect(opened).toMatchObject({ customer_id: customer.id, customer_email: customer.email });
    expect((await commerce.confirm(opened.client_secret)).body.customer_session_token).not.toBeNull();
  });

  test('is refused when the address belongs to a customer with another external id', async () => {
    const { email } = await commerce.ok('POST', '/v1/customers/', {
      email: buyer().customer_email,
      external_id: newId(),
    });
    const opened = await commerce.checkout(monthly().id, {
      external_customer_id: newId(),
      customer_email: email,
    });
    const answer = await commerce.confirm(opened.client_secret);
    expect([answer.status, answer.body.error]).toEqual([422, 'CheckoutCustomerExternalIdMismatch']);
    expect((await read(opened.id)).status).toBe('open');
  });

  test('is refused when the linked customer has been deleted', async () => {
    const customer = await commerce.ok('POST', '/v1/customers/', { email: buyer().customer_email });
    const opened = await commerce.checkout(monthly().id, { customer_id: customer.id });
    await commerce.ok('DELETE', `/v1/customers/${customer.id}`);
    const answer = await commerce.confirm(opened.client_secret);
    expect([answer.status, answer.body.error]).toEqual([409, 'CheckoutCustomerDeleted']);
  });
});

describe('a confirmation is refused', () => {
  const issues = (body: { detail: { loc: string[]; type: string }[] }) =>
    body.detail.map(({ loc, type }) => [loc.join('.'), type]);

  test('naming each field the form asks for', async () => {
    const field = (slug: string, required: boolean) => ({
      custom_field_id: newId(),
      order: 0,
      required,
      custom_field: { id: newId(), type: 'text' as const, slug, name: slug, properties: {} },
    });
    const product = commerce.product({ attached_custom_fields: [field('team', true), field('note', false)] });
    const opened = await commerce.ok('POST', '/v1/checkouts/', {
      products: [product.id],
      is_business_customer: true,
    });
    const answer = await commerce.confirm(opened.client_secret, { confirmation_token_id: null });
    expect(answer.status).toBe(422);
    expect(issues(answer.body)).toEqual(
      [
        'body.customer_email',
        'body.customer_name',
        'body.customer_billing_address.country',
        'body.customer_billing_address.city',
        'body.customer_billing_address.postal_code',
        'body.customer_billing_address.line1',
        'body.customer_billing_name',
        'body.custom_field_data.team',
        'body.confirmation_token_id',
      ].map((loc) => [loc, 'missing']),
    );
  });

  test('with an answer its custom field does not take', async () => {
    const product = commerce.product({
      attached_custom_fields: [
        {
          custom_field_id: newId(),
          order: 0,
          required: false,
          custom_field: {
            id: newId(),
            type: 'select',
            slug: 'size',
            name: 'Size',
            properties: { options: [{ value: 's', label: 'S' }] },
          },
        },
      ],
    });
    const opened = await commerce.checkout(product.id, { custom_field_data: { size: 's', unknown: 'x' } });
    expect(opened.custom_field_data).toEqual({ size: 's' });
    const answer = await commerce.confirm(opened.client_secret, { custom_field_data: { size: 'xl' } });
    expect(issues(answer.body)).toEqual([['body.custom_field_data.size', 'value_error']]);
    await commerce.confirm(opened.client_secret);
    expect((await orderOf(opened.id)).custom_field_data).toEqual({ size: 's' });
  });

  test('for a secret nobody has', async () => {
    const answer = await commerce.confirm('trb_c_unknown');
    expect([answer.status, answer.body.error]).toEqual([404, 'ResourceNotFound']);
  });

  test('for a product withdrawn meanwhile', async () => {
    const product = monthly();
    const opened = await commerce.checkout(product.id);
    await commerce.publish('products', { ...product, is_archived: true } as never);
    const answer = await commerce.confirm(opened.client_secret);
    expect(issues(answer.body)).toEqual([['body.product_id', 'value_error']]);
  });

  test('for a price replaced meanwhile, until the session shows the new one', async () => {
    const meter = meterCopy({ organization_id: commerce.organization.id });
    const product = commerce.product({
      recurring_interval: 'month',
      prices: [fixed(1_000), metered(meter, '0.5')],
    });
    const opened = await commerce.checkout(product.id);
    const [kept, usage] = product.prices;
    const dearer = { ...usage!, id: newId(), unit_amount: '50' };
    await commerce.publish('products', { ...product, prices: [dearer, kept!] } as never);
    const refused = await commerce.confirm(opened.client_secret);
    expect(refused.status).toBe(422);
    expect(issues(refused.body)).toEqual([['body.product_id', 'value_error']]);
    const path = `/v1/checkouts/client/${opened.client_secret}`;
    expect((await commerce.request('PATCH', path, { body: {} })).status).toBe(200);
    expect((await commerce.confirm(opened.client_secret)).status).toBe(200);
    const { subscription } = await orderOf(opened.id);
    const { prices } = await commerce.ok('GET', `/v1/subscriptions/${subscription.id}`);
    expect(prices.map(({ id }: { id: string }) => id)).toEqual([dearer.id, kept!.id]);
  });

  test('for a trial that is no longer given, until the session shows what is due', async () => {
    const product = commerce.product({
      recurring_interval: 'month',
      trial_interval: 'week',
      trial_interval_count: 1,
    });
    const opened = await commerce.checkout(product.id);
    expect(opened.is_payment_required).toBe(false);
    await commerce.publish('products', {
      ...product,
      trial_interval: null,
      trial_interval_count: null,
    } as never);
    const refused = await commerce.confirm(opened.client_secret);
    expect(refused.status).toBe(422);
    expect(issues(refused.body)).toEqual([['body.product_id', 'value_error']]);
  });

  test('for an organization that cannot take payments, unless nothing is to pay', async () => {
    const closed = commerce.otherOrganization({
      capabilities: { api_access: true, checkout_payments: false },
    });
    const as = {
      kind: 'organization',
      scheme: 'oat',
      organization_id: closed.id,
      scopes: ['checkouts:write'],
      token_id: newId(),
    } as const;
    const open = async (amount: number) => {
      const product = commerce.product({ organization_id: closed.id, prices: [fixed(amount)] });
      return commerce.ok(
        'POST',
        '/v1/checkouts/',
        { products: [product.id], ...buyer() },
        { as: { ...as, scopes: [...as.scopes] } },
      );
    };
    const answer = await commerce.confirm((await open(1_000)).client_secret);
    expect([answer.status, answer.body.error]).toEqual([403, 'PaymentNotReady']);
    expect((await commerce.confirm((await open(0)).client_secret)).status).toBe(200);
  });

  test('to a portal token, which makes no difference: the secret is what counts', async () => {
    const opened = await commerce.checkout(monthly().id);
    const as = customerSession(commerce.organization.id, newId());
    expect((await commerce.confirm(opened.client_secret, {}, { as })).status).toBe(200);
  });
});
