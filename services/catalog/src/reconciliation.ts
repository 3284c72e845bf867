import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { grantParts } from './reconciliation/grants-store.ts';
import { licenseKeyParts } from './reconciliation/license-keys-store.ts';

/** What `GET /internal/reconciliation` compares here. */
export const reconciliation: readonly Part[] = [...grantParts, ...licenseKeyParts];
