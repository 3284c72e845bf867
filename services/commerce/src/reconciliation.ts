import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { copied, owned } from '@tributary/runtime/reconciliation/records.ts';
import { ledgerParts } from './reconciliation/ledger-store.ts';
import { orderParts } from './reconciliation/orders-store.ts';
import { subscriptionParts } from './reconciliation/subscriptions-store.ts';

const PAID = `('paid', 'partially_refunded', 'refunded')`;

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [
  ...ledgerParts,
  ...orderParts,
  ...subscriptionParts,
  owned('customers'),
  owned('subscriptions'),
  owned('subscriptions that give benefits', 'subscriptions', `status in ('active', 'trialing')`),
  owned(
    'orders that give benefits',
    'orders',
    `status in ${PAID} and subscription_id is null and product_id is not null`,
  ),
  ...copied('organizations', 'products', 'meters', 'benefit_grants'),
];
