import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { ledgerParts } from './reconciliation/ledger-store.ts';
import { orderParts } from './reconciliation/orders-store.ts';
import { subscriptionParts } from './reconciliation/subscriptions-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [...ledgerParts, ...orderParts, ...subscriptionParts];
