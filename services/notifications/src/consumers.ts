import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import type { App } from './app.ts';
import { onEmail } from './emails/on-email.ts';
import { onCustomerChanged } from './forgotten-customers/on-customer-changed.ts';
import { onMemberChanged } from './forgotten-customers/on-member-changed.ts';
import { onWebhook } from './webhook-events/on-webhook.ts';

export const consumers = (app: App): Consumer<App>[] => [
  app.organizations.consumer,
  onWebhook,
  onEmail,
  onCustomerChanged,
  onMemberChanged,
];
