import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { copied, owned } from '@tributary/runtime/reconciliation/records.ts';
import { customerMeterParts } from './reconciliation/customer-meters-store.ts';
import { receiptParts } from './reconciliation/receipts-store.ts';
import { totalsPart } from './reconciliation/totals-store.ts';

/** What `GET /internal/reconciliation` compares here. @param retentionMonths after which events are deleted */
export const reconciliation = (retentionMonths: number | undefined): readonly Part[] => [
  ...receiptParts(retentionMonths),
  ...customerMeterParts,
  totalsPart(retentionMonths),
  owned('meters'),
  ...copied('customers', 'products', 'subscriptions', 'benefit_grants'),
];
