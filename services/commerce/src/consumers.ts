import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onFirstEvent } from './customers/on-first-event.ts';
import { onCustomerMeterChanged, onGrantChanged } from './customers/on-standing-changed.ts';

/** Copies come first: what reacts to a change then already reads it. */
export const consumers = ({ replicas }: Pick<App, 'replicas'>): Consumer<App>[] => [
  ...Object.values(replicas).map((copy) => copy.consumer as Consumer<App>),
  onFirstEvent,
  onGrantChanged,
  onCustomerMeterChanged,
];
