import { CUSTOMER_EVERY, idOf, ORGANIZATIONS, type Seeder, spread, timeOf } from './seed-table.ts';

const METADATA = `jsonb_build_object('plan', seed.pick(i, 5), 'ref', 'ref-' || i)`;

/** The customer of row i: the one with much, or its own. */
export const customerOf = (rows: number) =>
  `case when i % ${CUSTOMER_EVERY} = 0 then ${idOf('customer', rows, '0')} else ${idOf('customer', rows)} end`;
/** One of a hundred products of the row's organization. */
export const productOf = (rows: number) =>
  idOf('product', rows, `seed.pick(i, 100) * ${ORGANIZATIONS} + i % ${ORGANIZATIONS}`);

export async function seedCommerce(seeder: Seeder): Promise<void> {
  const { rows, fill, query } = seeder;
  const organization_id = `seed.organization('${seeder.organizationId}', i)`;
  const common = { created_at: timeOf(rows), modified_at: 'null', organization_id };
  const metadata = METADATA;
  const customer_id = customerOf(rows);
  await fill('customers', customerColumns(seeder));
  await fill('members', {
    ...common,
    id: idOf('member', rows),
    customer_id: idOf('customer', rows),
    deleted_at: 'null',
    email: `'person' || i || '@example.com'`,
    name: `'Person ' || seed.word(i)`,
    external_id: 'null',
    role: `'owner'`,
  });
  // A document that does not have to be compressed is copied in a tenth of the time.
  await query(`update products_replica
    set value = value || jsonb_build_object('benefits', '[]'::jsonb, 'prices', jsonb_build_array(value -> 'prices' -> 0))`);
  await fill('products_replica', {
    id: idOf('product', rows),
    organization_id,
    value: `made.value || jsonb_build_object('id', ${idOf('product', rows)}, 'organization_id', ${organization_id},
      'name', 'Product ' || seed.word(i), 'is_recurring', i % 3 > 0)`,
  });
  await seedSubscriptions(seeder, { ...common, metadata, customer_id });
  await fill('checkouts', {
    ...common,
    id: idOf('checkout', rows),
    status: spread({ succeeded: 60, expired: 30, open: 8, failed: 2 }),
    client_secret: `'secret-' || i`,
    expires_at: `now() + interval '30 days' * (i::double precision / ${rows})`,
    product_id: productOf(rows),
    product_ids: `array[${productOf(rows)}]`,
    customer_id,
    external_customer_id: `'ext-' || i`,
    customer_email: `'person' || i || '@example.com'`,
    metadata,
    resume_at: 'null',
  });
  await seedOrders(seeder, { ...common, metadata, customer_id });
  await fill('payment_methods', {
    ...common,
    id: idOf('paymentMethod', rows),
    customer_id,
    processor_id: `'pm_' || i`,
    deleted_at: 'null',
  });
}

const customerColumns = ({ rows, organizationId }: Seeder) => ({
  created_at: timeOf(rows),
  modified_at: 'null',
  organization_id: `seed.organization('${organizationId}', i)`,
  id: idOf('customer', rows),
  external_id: `'ext-' || i`,
  email: `'person' || i || '@' || ${spread({ example: 90, acme: 10 })} || '.com'`,
  name: `'Person ' || seed.word(i)`,
  short_code: `'C' || i`,
  metadata: METADATA,
  deleted_at: 'null',
});

export const seedBusyCustomer = (seeder: Seeder) => seeder.fill('customers', customerColumns(seeder), 1);

async function seedSubscriptions({ rows, fill }: Seeder, common: Record<string, string>): Promise<void> {
  const leaving = 'seed.pick(i, 20) = 0';
  await fill('subscriptions', {
    ...common,
    id: idOf('subscription', rows),
    product_id: productOf(rows),
    discount_id: 'null',
    status: spread({ active: 70, canceled: 20, trialing: 5, past_due: 4, unpaid: 1 }),
    amount: 'seed.pick(i, 10000)',
    started_at: timeOf(rows),
    current_period_end: `now() + interval '1 day' + interval '30 days' * (seed.pick(i, 1000) / 1000.0)`,
    cancel_at_period_end: leaving,
    canceled_at: `case when ${leaving} then ${timeOf(rows)} end`,
    ends_at: `case when ${leaving} then now() + interval '40 days' + interval '1 s' * seed.pick(i, 1000) end`,
    ended_at: `case when seed.pick(i, 100) between 70 and 89 then ${timeOf(rows)} end`,
    customer_cancellation_reason: `case when ${leaving} then ${spread({ too_expensive: 50, unused: 49, other: 1 })} end`,
  });
  const { metadata: _metadata, ...seat } = common;
  await fill('customer_seats', {
    ...seat,
    id: idOf('seat', rows),
    product_id: productOf(rows),
    subscription_id: idOf('subscription', rows),
    buyer_id: common.customer_id!,
    status: spread({ claimed: 80, pending: 10, revoked: 10 }),
  });
}

async function seedOrders({ rows, fill }: Seeder, common: Record<string, string>): Promise<void> {
  await fill('orders', {
    ...common,
    id: idOf('order', rows),
    status: spread({ paid: 90, refunded: 4, partially_refunded: 3, pending: 2, void: 1 }),
    net_amount: 'seed.pick(i, 10000)',
    product_id: productOf(rows),
    invoice_number: `'INV-' || lpad(seed.pick(i, 2000000000)::text, 10, '0') || '-' || i`,
    subscription_id: `case when i % 3 > 0 then ${idOf('subscription', rows)} end`,
    checkout_id: idOf('checkout', rows),
    discount_id: 'null',
    next_payment_attempt_at: 'null',
  });
  await fill('order_items', {
    id: idOf('item', rows),
    order_id: idOf('order', rows),
    created_at: timeOf(rows),
    position: '0',
  });
}
