import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { PaymentMethod } from './payment-method.ts';

/** The method as its owner sees it. */
export const presentPortalPaymentMethod = (method: PaymentMethod) => ({
  ...presentRecorded(method),
  processor: method.processor,
  customer_id: method.customer_id,
  type: 'card' as const,
  method_metadata: method.method_metadata,
});

/** @param defaultId the customer's default method */
export const presentPaymentMethod = (method: PaymentMethod, defaultId: string | null) => ({
  ...presentPortalPaymentMethod(method),
  is_default: method.id === defaultId,
});
