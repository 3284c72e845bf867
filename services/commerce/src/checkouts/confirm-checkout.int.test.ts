import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, meterCopy, metered } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const orderOf = async (checkoutId: string) =>
  (await commerce.ok('GET', `/v1/orders/?checkout_id=${checkoutId}`)).items;

describe('confirming a checkout', () => {
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
    });
    expect(opened).toMatchObject({ status: 'open', amount: 1_000, total_amount: 1_000, currency: 'usd' });
    await commerce.emptyOutbox();

    const answer = await commerce.confirm(opened.client_secret);
    expect([answer.status, answer.body.status]).toEqual([200, 'confirmed']);
    expect(answer.body.customer_session_token).toMatch(/^trb_mst_/);

    const [order, ...others] = await orderOf(opened.id);
    expect(others).toEqual([]);
    expect(order).toMatchObject({
      status: 'paid',
      paid: true,
      billing_reason: 'subscription_create',
      total_amount: 1_000,
      due_amount: 1_000,
      metadata: { run: 'a' },
      subscription: { status: 'active', amount: 1_000, currency: 'usd' },
      customer: { external_id: 'ext-1', name: 'Ada Buyer', type: 'individual' },
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
  });
});
