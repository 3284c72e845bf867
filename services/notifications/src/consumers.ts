import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onWebhook } from './webhook-events/on-webhook.ts';

export const consumers = (app: App): Consumer<App>[] => [app.organizations.consumer, onWebhook];
