import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onCustomerChanged } from './entitlements/on-customer-changed.ts';
import { onOrderPaid } from './entitlements/on-order-paid.ts';
import { onRenewalPaid } from './entitlements/on-renewal-paid.ts';
import { onSeatChanged } from './entitlements/on-seat-changed.ts';
import { onSubscriptionChanged } from './entitlements/on-subscription-changed.ts';
import { onMeterChanged } from './products/on-meter-changed.ts';

/** Copies come first: what reacts to a change then already reads it. */
export const consumers = ({ replicas }: Pick<App, 'replicas'>): Consumer<App>[] => [
  ...Object.values(replicas).map((copy) => copy.consumer as Consumer<App>),
  onCustomerChanged,
  onMeterChanged,
  onSubscriptionChanged,
  onSeatChanged,
  onOrderPaid,
  onRenewalPaid,
];
