import { newId } from '@tributary/proto/id.ts';
import { buyer, type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed } from '../testing/copies.ts';
import { expireCheckouts } from './expire-checkouts.flow.ts';
import { resumeCheckouts } from './resume-checkouts.flow.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest({
    subscription_settings: {
      allow_multiple_subscriptions: false,
      prevent_trial_abuse: true,
      benefit_revocation_grace_period: 0,
    },
  });
}, 60_000);
afterAll(() => commerce?.stop());

const monthly = () => commerce.product({ recurring_interval: 'month' });
const withTrial = () =>
  commerce.product({ recurring_interval: 'month', trial_interval: 'week', trial_interval_count: 1 });

describe('one subscription for each customer', () => {
  test('is kept on create, update and confirm, by id and by typed address', async () => {
    const details = buyer();
    const { customer_id } = await commerce.buy(monthly().id, details);
    const refusal = (answer: { status: number; body: { error: string } }) => [
      answer.status,
      answer.body.error,
    ];
    const refused = [403, 'AlreadyActiveSubscriptionError'];
    const create = (body: object) =>
      commerce.api('POST', '/v1/checkouts/', { products: [monthly().id], ...body });
    expect(refusal(await create({ customer_id }))).toEqual(refused);
    expect(refusal(await create({ customer_email: details.customer_email.toUpperCase() }))).toEqual(refused);

    const opened = await commerce.checkout(monthly().id);
    const path = `/v1/checkouts/client/${opened.client_secret}`;
    const { customer_email } = details;
    expect(refusal(await commerce.request('PATCH', path, { body: { customer_email } }))).toEqual(refused);
    expect(refusal(await commerce.confirm(opened.client_secret, { customer_email }))).toEqual(refused);
    const onceOnly = await commerce.checkout(commerce.product().id, details);
    expect((await commerce.confirm(onceOnly.client_secret)).status).toBe(200);
  });

  test('holds while the first is still being paid', async () => {
    const details = buyer();
    const opened = await Promise.all([1, 2].map(() => commerce.checkout(monthly().id, details)));
    const { processor } = commerce.app;
    commerce.app.processor = { ...processor, confirm: () => Promise.reject(new Error('unreachable')) };
    const answers = await Promise.all(opened.map(({ client_secret }) => commerce.confirm(client_secret)));
    commerce.app.processor = processor;
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    commerce.clock.advance({ minutes: 2 });
    await resumeCheckouts(commerce.app, commerce.clock.now());
    const { pagination } = await commerce.ok(
      'GET',
      `/v1/subscriptions/?customer_id=${await customerId(details)}`,
    );
    expect(pagination.total_count).toBe(1);
  });
});

const customerId = async ({ customer_email }: { customer_email: string }) =>
  (await commerce.ok('GET', `/v1/customers/?email=${encodeURIComponent(customer_email)}`)).items[0].id;

describe('one trial for each mailbox and each card', () => {
  const endSubscriptionsOf = async (details: { customer_email: string }) => {
    const { items } = await commerce.ok('GET', `/v1/subscriptions/?customer_id=${await customerId(details)}`);
    for (const { id } of items) await commerce.ok('DELETE', `/v1/subscriptions/${id}`);
  };

  test('is kept, also for an alias of the address and for another address with the same card', async () => {
    const details = buyer();
    await commerce.buy(withTrial().id, details);
    await endSubscriptionsOf(details);
    const aliased = { ...details, customer_email: details.customer_email.replace('@', '+again@') };
    const sameMailbox = await commerce.checkout(withTrial().id, aliased);
    const refused = await commerce.confirm(sameMailbox.client_secret);
    expect([refused.status, refused.body.error]).toEqual([403, 'TrialAlreadyRedeemed']);

    const sameCard = await commerce.checkout(withTrial().id);
    const found = await commerce.confirm(sameCard.client_secret);
    expect([found.status, found.body.error]).toEqual([403, 'TrialAlreadyRedeemed']);
    expect((await commerce.ok('GET', `/v1/checkouts/${sameCard.id}`)).status).toBe('open');
    const otherCard = await commerce.confirm(sameCard.client_secret, {
      confirmation_token_id: 'tok_disputed',
    });
    expect(otherCard.status).toBe(200);
    const declined = await commerce.confirm(sameMailbox.client_secret, { allow_trial: false });
    expect(declined.status).toBe(200);
  });
});

describe('a session', () => {
  test('whose day is over is refused by its secret at once, and marked by the job', async () => {
    const opened = await commerce.checkout(monthly().id);
    const path = `/v1/checkouts/client/${opened.client_secret}`;
    commerce.clock.advance({ hours: 24 });
    for (const answer of [
      await commerce.request('GET', path),
      await commerce.request('PATCH', path, { body: {} }),
      await commerce.confirm(opened.client_secret),
    ]) {
      expect([answer.status, answer.body.error]).toEqual([410, 'ExpiredCheckoutError']);
    }
    expect((await commerce.ok('GET', `/v1/checkouts/${opened.id}`)).status).toBe('open');
    await commerce.emptyOutbox();
    await expireCheckouts(commerce.app, commerce.clock.now());
    expect((await commerce.ok('GET', `/v1/checkouts/${opened.id}`)).status).toBe('expired');
    expect(await commerce.webhooks()).toContain('checkout.expired');
    const patched = await commerce.api('PATCH', `/v1/checkouts/${opened.id}`, { metadata: {} });
    expect([patched.status, patched.body.error]).toEqual([403, 'NotOpenCheckout']);
  });

  test('of a blocked organization is refused', async () => {
    const product = commerce.product({ prices: [fixed(1_000)] });
    const opened = await commerce.checkout(product.id);
    const { organization } = commerce;
    await commerce.publish('organizations', {
      ...organization,
      capabilities: { api_access: false },
    } as never);
    const answer = await commerce.request('GET', `/v1/checkouts/client/${opened.client_secret}`);
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    await commerce.publish('organizations', { ...organization, modified_at: null } as never);
    expect((await commerce.request('GET', `/v1/checkouts/client/${newId()}`)).status).toBe(404);
  });
});
