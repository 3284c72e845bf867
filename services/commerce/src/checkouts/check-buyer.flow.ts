import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import { findCustomerByEmail } from '../customers/store.ts';
import { AlreadyActiveSubscriptionError } from '../problems.ts';
import { hasBillableSubscription } from '../subscriptions/store.ts';
import { type Checkout, type Offer, selectedProduct } from './checkout.ts';
import { hasConfirmedCheckout } from './store.ts';

/**
 * Refuses (403) a second subscription where the organization allows one for each customer, unless the session
 * upgrades that very one. A session under confirmation counts: it is about to become a subscription.
 */
export async function requireSingleSubscription(
  reader: Reader,
  checkout: Checkout,
  offer: Offer,
  customerId: string | null = checkout.customer_id,
): Promise<void> {
  const { allow_multiple_subscriptions } = offer.organization.subscription_settings;
  if (allow_multiple_subscriptions || !selectedProduct(checkout, offer).is_recurring) return;
  const buyerId = customerId ?? (await customerByEmail(reader, checkout));
  if (!buyerId) return;
  const isSubscribed =
    (await hasBillableSubscription(reader, buyerId, checkout.subscription_id)) ||
    (await hasConfirmedCheckout(reader, buyerId, checkout.id));
  if (isSubscribed) {
    throw new Problem(AlreadyActiveSubscriptionError, 'You already have an active subscription.');
  }
}

async function customerByEmail(reader: Reader, checkout: Checkout): Promise<string | undefined> {
  if (!checkout.customer_email) return undefined;
  return (await findCustomerByEmail(reader, checkout.organization_id, checkout.customer_email))?.id;
}
