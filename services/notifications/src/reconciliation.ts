import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { copied } from '@tributary/runtime/reconciliation/records.ts';
import { deliveryParts } from './reconciliation/deliveries-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [...deliveryParts, ...copied('organizations')];
