import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { owned } from '@tributary/runtime/reconciliation/records.ts';
import { accessParts } from './reconciliation/access-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [...accessParts, owned('organizations')];
