import { CreateNotifications1764000000000 } from './migrations/1764000000000-create-notifications.ts';
import { webhookDeliveries } from './webhook-deliveries/store.ts';
import { webhookEndpoints } from './webhook-endpoints/store.ts';
import { webhookEvents } from './webhook-events/store.ts';

export const entities = [webhookEndpoints, webhookEvents, webhookDeliveries];
export const migrations = [CreateNotifications1764000000000];
