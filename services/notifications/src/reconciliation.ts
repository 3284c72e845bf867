import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { deliveryParts } from './reconciliation/deliveries-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = deliveryParts;
