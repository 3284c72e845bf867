import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onBenefitCycled } from './customer-meters/on-benefit-cycled.ts';
import { onBenefitGranted } from './customer-meters/on-benefit-granted.ts';
import { onBenefitRevoked } from './customer-meters/on-benefit-revoked.ts';
import { onSubscriptionCycled } from './customer-meters/on-subscription-cycled.ts';
import { onCustomerChanged } from './customers/on-customer-changed.ts';
import { systemEventConsumers } from './events/on-system-event.ts';

export const consumers = ({ replicas }: App): Consumer<App>[] => [
  ...Object.values(replicas).map((replica) => replica.consumer),
  onCustomerChanged,
  ...systemEventConsumers,
  onBenefitGranted,
  onBenefitCycled,
  onBenefitRevoked,
  onSubscriptionCycled,
];
