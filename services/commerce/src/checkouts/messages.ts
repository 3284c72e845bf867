import { type OutgoingMessage, systemEvent, webhookEvent } from '@tributary/proto/events/message.ts';
import type { Checkout, Offer } from './checkout.ts';
import { type Pages, presentCheckout } from './present.ts';

export const checkoutCreated = (
  checkout: Checkout,
  offer: Offer,
  pages: Pages,
  now: Date,
): OutgoingMessage[] => [
  systemEvent(
    'checkout.created',
    {
      organization_id: checkout.organization_id,
      customer_id: checkout.customer_id,
      external_customer_id: checkout.external_customer_id,
      timestamp: now,
    },
    { checkout_id: checkout.id, checkout_status: checkout.status, product_id: checkout.product_id },
  ),
  told('checkout.created', checkout, offer, pages, now),
];

export const checkoutUpdated = (
  checkout: Checkout,
  offer: Offer,
  pages: Pages,
  now: Date,
): OutgoingMessage[] => [told('checkout.updated', checkout, offer, pages, now)];

export const checkoutExpired = (
  checkout: Checkout,
  offer: Offer,
  pages: Pages,
  now: Date,
): OutgoingMessage[] => [told('checkout.expired', checkout, offer, pages, now)];

const told = (
  type: 'checkout.created' | 'checkout.updated' | 'checkout.expired',
  checkout: Checkout,
  offer: Offer,
  pages: Pages,
  now: Date,
) => webhookEvent(type, checkout.organization_id, presentCheckout(checkout, offer, pages), now);
