import { newId } from '@tributary/proto/id.ts';
import { customerSession, memberSession, organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const ME = '/v1/customer-portal/customers/me';
const METHODS = `${ME}/payment-methods`;
const customer = (body: object = {}) =>
  commerce.ok('POST', '/v1/customers/', { email: `p-${newId()}@example.com`, ...body });
const session = (id: string) => ({ as: customerSession(commerce.organization.id, id) });
const add = (id: string, confirmation_token_id = 'tok_visa', set_default = false) =>
  commerce.api(
    'POST',
    METHODS,
    { confirmation_token_id, set_default, return_url: 'https://shop.test/' },
    session(id),
  );

describe('the payment methods of a customer', () => {
  test('are listed by id and by external id, the default one marked', async () => {
    const { id, external_id } = await customer({ external_id: newId() });
    await add(id);
    commerce.clock.advance({ seconds: 1 });
    await add(id, 'tok_disputed', true);
    const list = await commerce.ok('GET', `/v1/customers/external/${external_id}/payment-methods`);
    expect(list).toEqual(await commerce.ok('GET', `/v1/customers/${id}/payment-methods`));
    expect(list.items).toMatchObject([
      {
        processor: 'stripe',
        customer_id: id,
        type: 'card',
        is_default: true,
        method_metadata: { brand: 'visa', last4: '0259', exp_month: 12, exp_year: 2034, wallet: null },
      },
      { is_default: false, method_metadata: { last4: '4242' } },
    ]);
    const second = await commerce.ok('GET', `/v1/customers/${id}/payment-methods?limit=1&page=2`);
    expect([second.items.length, second.pagination]).toEqual([1, { total_count: 2, max_page: 2 }]);
  });

  test('are a 404 for customers nobody has or another organization has', async () => {
    const { id, external_id } = await customer({ external_id: newId() });
    const as = organizationToken(commerce.otherOrganization().id);
    for (const path of [id, `external/${external_id}`]) {
      const answer = await commerce.api('GET', `/v1/customers/${path}/payment-methods`, undefined, { as });
      expect([answer.status, answer.body.error]).toEqual([404, 'ResourceNotFound']);
    }
    expect((await commerce.api('GET', '/v1/customers/external/nobody/payment-methods')).status).toBe(404);
    expect((await commerce.api('GET', `/v1/customers/${id}/payment-methods?page=0`)).status).toBe(422);
  });
});

describe('in the portal', () => {
  test('a card is added, and the first one is the default', async () => {
    const { id } = await customer();
    const added = await add(id);
    expect([added.status, added.body]).toMatchObject([
      201,
      { status: 'succeeded', payment_method: { type: 'card' } },
    ]);
    expect(added.body.payment_method).not.toHaveProperty('is_default');
    const me = await commerce.ok('GET', ME, undefined, session(id));
    expect(me.default_payment_method_id).toBe(added.body.payment_method.id);
    const list = await commerce.ok('GET', METHODS, undefined, session(id));
    expect(list.items).toEqual([added.body.payment_method]);
  });

  test('a refused card is not', async () => {
    const { id } = await customer();
    const answer = await add(id, 'tok_declined');
    expect([answer.status, answer.body.error]).toEqual([400, 'PaymentMethodSetupFailed']);
    const wrong = await commerce.api('POST', METHODS, {}, session(id));
    expect(wrong.status).toBe(422);
  });

  test('a card with a second step is confirmed once that is taken', async () => {
    const { id } = await customer();
    const { body } = await add(id, 'tok_3ds');
    expect(body).toEqual({ status: 'requires_action', client_secret: expect.any(String) });
    const setup_intent_id = body.client_secret.split('_secret_')[0];
    const confirm = (who: string) =>
      commerce.api('POST', `${METHODS}/confirm`, { setup_intent_id, set_default: true }, session(who));
    const early = await confirm(id);
    expect([early.status, early.body.error]).toEqual([403, 'CustomerNotReady']);
    await commerce.request('POST', `/v1/sandbox/payment-intents/${body.client_secret}/complete`, {
      body: {},
    });
    expect((await confirm((await customer()).id)).status).toBe(422);
    const done = await confirm(id);
    expect([done.status, done.body]).toMatchObject([201, { status: 'succeeded' }]);
    expect((await confirm(id)).body.payment_method.id).toBe(done.body.payment_method.id);
  });

  test('a card is added once for one idempotency key', async () => {
    const { id } = await customer();
    const options = { ...session(id), headers: { 'idempotency-key': newId() } };
    const body = { confirmation_token_id: 'tok_visa', set_default: true, return_url: 'https://shop.test/' };
    const first = await commerce.ok('POST', METHODS, body, options);
    expect(await commerce.ok('POST', METHODS, body, options)).toEqual(first);
    expect((await commerce.ok('GET', METHODS, undefined, session(id))).items).toHaveLength(1);
  });

  test('a removed default leaves its place to the newest other one', async () => {
    const { id } = await customer();
    const [first, second] = [(await add(id)).body.payment_method.id, (await add(id)).body.payment_method.id];
    const answer = await commerce.api('DELETE', `${METHODS}/${first}`, undefined, session(id));
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect((await commerce.ok('GET', ME, undefined, session(id))).default_payment_method_id).toBe(second);
    expect((await commerce.api('DELETE', `${METHODS}/${first}`, undefined, session(id))).status).toBe(404);
    const other = await customer();
    expect((await commerce.api('DELETE', `${METHODS}/${second}`, undefined, session(other.id))).status).toBe(
      404,
    );
  });

  test('the only one stays while a subscription is paid with it', async () => {
    const bought = await commerce.buy(commerce.product({ recurring_interval: 'month' }).id);
    const [method] = (await commerce.ok('GET', METHODS, undefined, session(bought.customer_id))).items;
    const answer = await commerce.api(
      'DELETE',
      `${METHODS}/${method.id}`,
      undefined,
      session(bought.customer_id),
    );
    expect([answer.status, answer.body.error]).toEqual([400, 'PaymentMethodInUseByActiveSubscription']);
  });

  test('plain members see none and change none', async () => {
    const { id } = await customer();
    const as = memberSession(commerce.organization.id, id, newId(), 'member');
    for (const [method, path] of [
      ['GET', METHODS],
      ['PATCH', ME],
    ] as const) {
      const answer = await commerce.api(method, path, method === 'PATCH' ? {} : undefined, { as });
      expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    }
  });
});

describe('yourself in the portal', () => {
  test('are read and changed', async () => {
    const { id, email } = await customer({ name: 'Ada' });
    const me = await commerce.ok('GET', ME, undefined, session(id));
    expect(me).toEqual({
      id,
      created_at: expect.any(String),
      modified_at: null,
      email,
      email_verified: false,
      name: 'Ada',
      billing_name: 'Ada',
      billing_address: null,
      tax_id: null,
      oauth_accounts: {},
      default_payment_method_id: null,
      type: 'individual',
      locale: null,
    });
    const changed = await commerce.ok(
      'PATCH',
      ME,
      { billing_name: 'Ada Ltd', billing_address: { country: 'DE', city: 'Berlin' }, tax_id: 'DE123456789' },
      session(id),
    );
    expect(changed).toMatchObject({
      name: 'Ada',
      billing_name: 'Ada Ltd',
      billing_address: { country: 'DE' },
      tax_id: ['DE123456789', 'eu_vat'],
    });
  });

  test('choose the default among your own methods only', async () => {
    const { id } = await customer();
    const mine = (await add(id)).body.payment_method.id;
    const other = (await add(id)).body.payment_method.id;
    const chosen = await commerce.ok('PATCH', ME, { default_payment_method_id: other }, session(id));
    expect(chosen.default_payment_method_id).toBe(other);
    const strangers = (await add((await customer()).id)).body.payment_method.id;
    const refused = await commerce.api('PATCH', ME, { default_payment_method_id: strangers }, session(id));
    expect([refused.status, refused.body.detail[0].loc]).toEqual([
      422,
      ['body', 'default_payment_method_id'],
    ]);
    expect(mine).not.toBe(other);
  });
});
