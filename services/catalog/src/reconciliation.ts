import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { copied, followed, owned } from '@tributary/runtime/reconciliation/records.ts';
import { grantParts } from './reconciliation/grants-store.ts';
import { licenseKeyParts } from './reconciliation/license-keys-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [
  ...grantParts,
  ...licenseKeyParts,
  owned('products'),
  owned('benefit_grants'),
  // Subscriptions in their days of grace are somebody's who has not paid.
  followed(
    'subscriptions that give benefits',
    'entitlements',
    `kind = 'subscription' and is_active and revoke_at is null`,
  ),
  followed('orders that give benefits', 'entitlements', `kind = 'order'`),
  ...copied('organizations', 'customers', 'meters'),
];
