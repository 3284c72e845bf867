import type { SystemEventMetadata, SystemEventName } from '../system-events.ts';

/** One complete metadata object for each name, every optional key included; shown in the AsyncAPI document. */
type Examples = { readonly [N in SystemEventName]: Required<SystemEventMetadata<N>> };

const ids = {
  meter: '0d4f6c1a-7a5e-4d6b-9a41-3f2c8b1e5a70',
  benefit: '1e5a7d2b-8b6f-4e7c-8b52-4a3d9c2f6b81',
  grant: '2f6b8e3c-9c70-4f8d-9c63-5b4ead307c92',
  member: '307c9f4d-ad81-409e-ad74-6c5fbe418da3',
  subscription: '418dad5e-be92-41af-be85-7d60cf529eb4',
  product: '529ebe6f-cfa3-42b0-8f96-8e71d063afc5',
  otherProduct: '63afcf70-d0b4-43c1-90a7-9f82e174b0d6',
  discount: '74b0d081-e1c5-44d2-a1b8-a093f285c1e7',
  order: '85c1e192-f2d6-45e3-b2c9-b1a40396d2f8',
  checkout: '96d2f2a3-03e7-46f4-83da-c2b514a7e309',
  customer: 'a7e303b4-14f8-4705-94eb-d3c625b8f41a',
  transaction: 'b8f414c5-2509-4816-a5fc-e4d736c9052b',
  refund: 'c90525d6-361a-4927-b60d-f5e847da163c',
  dispute: 'da1636e7-472b-4a38-871e-06f958eb274d',
};

const grant = {
  benefit_id: ids.benefit,
  benefit_grant_id: ids.grant,
  benefit_type: 'license_keys' as const,
  member_id: ids.member,
};

const subscription = {
  subscription_id: ids.subscription,
  product_id: ids.product,
  amount: 1000,
  currency: 'usd',
  recurring_interval: 'month',
  recurring_interval_count: 1,
};

const customer = {
  customer_id: ids.customer,
  customer_email: 'ada@example.com',
  customer_name: 'Ada Lovelace',
  customer_external_id: 'user_42',
};

const order = { order_id: ids.order, product_id: ids.product, subscription_id: ids.subscription };

const money = {
  currency: 'usd',
  presentment_currency: 'eur',
  tax_state: 'CA',
  tax_country: 'US',
  exchange_rate: 1.0832,
};

const given = { amount: 1083, presentment_amount: 1000, tax_amount: 83, fee: 70 };
const takenBack = { amount: -1083, presentment_amount: -1000, tax_amount: -83, fee: 0 };
const returned = {
  ...order,
  ...money,
  transaction_id: ids.transaction,
  order_created_at: '2026-04-01T09:30:00.000Z',
};

export const systemEventExamples: Examples = {
  'meter.credited': { meter_id: ids.meter, units: 1000, rollover: false },
  'meter.reset': { meter_id: ids.meter },
  'benefit.granted': grant,
  'benefit.cycled': grant,
  'benefit.updated': grant,
  'benefit.revoked': grant,
  'subscription.created': { ...subscription, started_at: '2026-04-01T09:30:00.000Z' },
  'subscription.updated': {
    subscription_id: ids.subscription,
    product_id: ids.otherProduct,
    proration_behavior: 'prorate',
    discount_id: null,
    trial_end: '2026-04-15T09:30:00.000Z',
    seats: 5,
    billing_period_end: '2026-05-01T09:30:00.000Z',
  },
  'subscription.cycled': subscription,
  'subscription.canceled': {
    ...subscription,
    customer_cancellation_reason: 'too_expensive',
    customer_cancellation_comment: 'We found a smaller plan.',
    canceled_at: '2026-04-20T12:00:00.000Z',
    ends_at: '2026-05-01T09:30:00.000Z',
    cancel_at_period_end: true,
  },
  'subscription.revoked': subscription,
  'subscription.past_due': { ...subscription, past_due_at: '2026-05-01T09:30:00.000Z' },
  'subscription.reactivated': subscription,
  'subscription.reinstated': subscription,
  'subscription.paused': {
    ...subscription,
    paused_at: '2026-05-01T09:30:00.000Z',
    resumes_at: '2026-06-01T09:30:00.000Z',
  },
  'subscription.resumed': subscription,
  'subscription.uncanceled': subscription,
  'subscription.product_updated': {
    subscription_id: ids.subscription,
    old_product_id: ids.product,
    new_product_id: ids.otherProduct,
  },
  'subscription.seats_updated': {
    subscription_id: ids.subscription,
    old_seats: 3,
    new_seats: 5,
    proration_behavior: 'prorate',
  },
  'subscription.billing_period_updated': {
    subscription_id: ids.subscription,
    old_period_end: '2026-05-01T09:30:00.000Z',
    new_period_end: '2026-05-15T09:30:00.000Z',
  },
  'subscription.update_cleared': { subscription_id: ids.subscription },
  'order.paid': {
    ...order,
    billing_type: 'recurring',
    amount: 1083,
    currency: 'usd',
    net_amount: 1000,
    tax_amount: 83,
    applied_balance_amount: 0,
    discount_amount: 200,
    discount_id: ids.discount,
    platform_fee: 70,
    recurring_interval: 'month',
    recurring_interval_count: 1,
  },
  'order.refunded': { order_id: ids.order, refunded_amount: 500, currency: 'usd' },
  'order.voided': { order_id: ids.order, amount: 1083, currency: 'usd' },
  'order.unvoided': { order_id: ids.order, amount: 1083, currency: 'usd' },
  'checkout.created': { checkout_id: ids.checkout, checkout_status: 'open', product_id: ids.product },
  'customer.created': customer,
  'customer.updated': {
    ...customer,
    updated_fields: {
      name: 'Ada Lovelace',
      billing_name: null,
      email: 'ada@example.com',
      billing_address: {
        line1: '12 St James Square',
        line2: 'Second floor',
        postal_code: 'SW1Y 4JH',
        city: 'London',
        state: 'London',
        country: 'GB',
      },
      tax_id: 'GB123456789',
      metadata: { plan: 'gold', seats: 5, trial: false },
    },
  },
  'customer.deleted': customer,
  'balance.order': { ...order, ...money, ...given, transaction_id: ids.transaction, net_amount: 1000 },
  'balance.credit_order': {
    ...order,
    amount: 1083,
    currency: 'usd',
    tax_amount: 83,
    tax_state: 'CA',
    tax_country: 'US',
    fee: 0,
    exchange_rate: 1,
  },
  'balance.refund': { ...returned, ...takenBack, refund_id: ids.refund, refundable_amount: 0 },
  'balance.refund_reversal': { ...returned, ...given, refund_id: ids.refund, refundable_amount: 1083 },
  'balance.dispute': { ...returned, ...takenBack, dispute_id: ids.dispute },
  'balance.dispute_reversal': { ...returned, ...given, dispute_id: ids.dispute },
};
