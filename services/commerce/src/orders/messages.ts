import { type OutgoingMessage, systemEvent, webhookEvent } from '@tributary/proto/events/message.ts';
import { eventContext } from '../customers/messages.ts';
import { type LedgerTransaction, movementOn } from '../ledger/ledger.ts';
import { type OrderView, presentOrder } from './present.ts';

type OrderWebhook = 'order.created' | 'order.updated' | 'order.paid';

const webhooks = (view: OrderView, types: readonly OrderWebhook[], now: Date): OutgoingMessage[] => {
  const presented = presentOrder(view);
  return types.map((type) => webhookEvent(type, view.order.organization_id, presented, now));
};

export const orderCreated = (view: OrderView, now: Date): OutgoingMessage[] =>
  webhooks(view, ['order.created'], now);

export const orderUpdated = (view: OrderView, now: Date): OutgoingMessage[] =>
  webhooks(view, ['order.updated'], now);

/** The order is paid, and the organization's balance has moved as the ledger says. */
export const orderPaid = (view: OrderView, ledger: LedgerTransaction, now: Date): OutgoingMessage[] => [
  systemEvent('order.paid', eventContext(view.customer, now), paidFacts(view)),
  ...balanceMoved(view, ledger, now),
  ...webhooks(view, ['order.updated', 'order.paid'], now),
];

function paidFacts({ order, product, subscription }: OrderView) {
  return {
    order_id: order.id,
    product_id: order.product_id ?? undefined,
    billing_type: product ? (product.is_recurring ? 'recurring' : 'one_time') : undefined,
    amount: order.total_amount,
    currency: order.currency,
    net_amount: order.net_amount,
    tax_amount: order.tax_amount,
    applied_balance_amount: order.applied_balance_amount,
    discount_amount: order.discount_amount,
    discount_id: order.discount_id ?? undefined,
    platform_fee: order.platform_fee_amount,
    subscription_id: order.subscription_id ?? undefined,
    recurring_interval: subscription?.recurring_interval,
    recurring_interval_count: subscription?.recurring_interval_count,
  };
}

/** Money that came through the processor, or else credit the customer used up; nothing where neither moved. */
function balanceMoved(
  { order, customer }: OrderView,
  ledger: LedgerTransaction,
  now: Date,
): OutgoingMessage[] {
  const charged = movementOn(ledger, 'processor');
  const sale = {
    order_id: order.id,
    product_id: order.product_id ?? undefined,
    subscription_id: order.subscription_id ?? undefined,
    currency: order.currency,
    tax_amount: -movementOn(ledger, 'tax') + 0,
    tax_state: order.billing_address?.state ?? undefined,
    tax_country: order.billing_address?.country,
    fee: -movementOn(ledger, 'platform') + 0,
  };
  const context = eventContext(customer, now);
  if (charged > 0) {
    return [
      systemEvent('balance.order', context, {
        ...sale,
        transaction_id: ledger.id,
        amount: charged,
        net_amount: order.net_amount,
        presentment_amount: charged,
        presentment_currency: order.currency,
      }),
    ];
  }
  const credited = movementOn(ledger, 'customer_balance');
  if (credited <= 0) return [];
  return [systemEvent('balance.credit_order', context, { ...sale, amount: credited })];
}

/** The order is given up: nothing of it is owed any more. */
export const orderVoided = (view: OrderView, now: Date): OutgoingMessage[] => [
  systemEvent('order.voided', eventContext(view.customer, now), {
    order_id: view.order.id,
    amount: view.order.total_amount,
    currency: view.order.currency,
  }),
  ...orderUpdated(view, now),
];

/** A payment came in for an order that had been given up. */
export const orderUnvoided = (view: OrderView, now: Date): OutgoingMessage[] => [
  systemEvent('order.unvoided', eventContext(view.customer, now), {
    order_id: view.order.id,
    amount: view.order.total_amount,
    currency: view.order.currency,
  }),
  ...orderUpdated(view, now),
];
