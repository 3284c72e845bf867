import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onProductChanged } from './organizations/on-product-changed.ts';
import { onCustomerChanged } from './sessions/on-customer-changed.ts';
import { onMemberChanged } from './sessions/on-member-changed.ts';

export const consumers = (): Consumer<App>[] => [onProductChanged, onCustomerChanged, onMemberChanged];
