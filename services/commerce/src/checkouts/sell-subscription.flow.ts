import { type OutgoingMessage, systemEvent } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Customer } from '../customers/customer.ts';
import { eventContext } from '../customers/messages.ts';
import type { ProductCopy } from '../products/product.ts';
import { copyTables, localCopies } from '../replicas.ts';
import { subscriptionCreated, subscriptionTold, type ToldSubscription } from '../subscriptions/messages.ts';
import type { MeterCopy } from '../subscriptions/present.ts';
import {
  insertSubscription,
  lockSubscription,
  replaceSubscriptionMeters,
  saveSubscription,
} from '../subscriptions/store.ts';
import {
  newSubscription,
  newSubscriptionMeters,
  type Subscription,
  type SubscriptionMeter,
  upgradeSubscription,
} from '../subscriptions/subscription.ts';
import type { Checkout } from './checkout.ts';
import { pricesAsked } from './pricing.ts';
import { cadenceOf } from './sale.ts';

/** The subscription a recurring product becomes: a new one, or the one that the session upgrades. */
export async function sellSubscription(
  tx: Tx,
  checkout: Checkout,
  product: ProductCopy,
  customer: Customer,
  now: Date,
): Promise<Subscription> {
  const bought = {
    product_id: product.id,
    prices: pricesAsked(checkout, product),
    amount: checkout.net_amount,
    currency: checkout.currency,
    seats: checkout.seats,
    checkout_id: checkout.id,
    cadence: cadenceOf(product),
  };
  const upgraded =
    checkout.subscription_id &&
    (await lockSubscription(tx, checkout.organization_id, checkout.subscription_id));
  if (upgraded) {
    const subscription = upgradeSubscription(upgraded, bought, now);
    const meters = newSubscriptionMeters(subscription, now);
    await replaceSubscriptionMeters(tx, subscription.id, meters);
    const told = { subscription, customer, product, meters: await describe(tx, meters) };
    await saveSubscription(tx, subscription, upgradeMessages(told, upgraded.product_id, now));
    return subscription;
  }
  const subscription = newSubscription(
    {
      ...bought,
      organization_id: checkout.organization_id,
      customer_id: customer.id,
      discount_id: checkout.discount_id,
      metadata: checkout.metadata,
      custom_field_data: checkout.custom_field_data,
      startsAt: checkout.confirmed_at ?? now,
      trialEnd: checkout.trial_end,
    },
    now,
  );
  const meters = newSubscriptionMeters(subscription, now);
  const told = { subscription, customer, product, meters: await describe(tx, meters) };
  await insertSubscription(tx, subscription, meters, subscriptionCreated(told, now));
  return subscription;
}

/** A cycle that has just begun has used nothing. */
async function describe(tx: Tx, rows: readonly SubscriptionMeter[]) {
  const meters = await localCopies<MeterCopy>(
    tx,
    copyTables.meters,
    rows.map((row) => row.meter_id),
  );
  return rows.map((row) => ({
    row,
    meter: meters.get(row.meter_id) ?? null,
    consumed_units: 0,
    credited_units: 0,
  }));
}

function upgradeMessages(told: ToldSubscription, oldProductId: string, now: Date): OutgoingMessage[] {
  const { subscription, customer } = told;
  const context = eventContext(customer, now);
  const { id: subscription_id, product_id } = subscription;
  return [
    systemEvent('subscription.product_updated', context, {
      subscription_id,
      old_product_id: oldProductId,
      new_product_id: product_id,
    }),
    systemEvent('subscription.updated', context, { subscription_id, product_id }),
    ...subscriptionTold(told, ['subscription.updated'], now),
  ];
}
