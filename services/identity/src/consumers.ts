import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onProductChanged } from './organizations/on-product-changed.ts';

export const consumers = (): Consumer<App>[] => [onProductChanged];
