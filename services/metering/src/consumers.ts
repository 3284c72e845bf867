import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onCustomerChanged } from './customers/on-customer-changed.ts';
import { systemEventConsumers } from './events/on-system-event.ts';

export const consumers = ({ replicas }: App): Consumer<App>[] => [
  ...Object.values(replicas).map((replica) => replica.consumer),
  onCustomerChanged,
  ...systemEventConsumers,
];
