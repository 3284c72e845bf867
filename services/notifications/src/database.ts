import { NameRecordsInAnswers1768000000000 } from '@tributary/runtime/forget-record.ts';
import { emails } from './emails/store.ts';
import { CreateNotifications1764000000000 } from './migrations/1764000000000-create-notifications.ts';
import { CreateEmails1764000000001 } from './migrations/1764000000001-create-emails.ts';
import { FindBodiesByAddress1764000000002 } from './migrations/1764000000002-find-bodies-by-address.ts';
import { webhookDeliveries } from './webhook-deliveries/store.ts';
import { webhookEndpoints } from './webhook-endpoints/store.ts';
import { webhookEvents } from './webhook-events/store.ts';

export const entities = [webhookEndpoints, webhookEvents, webhookDeliveries, emails];
export const migrations = [
  CreateNotifications1764000000000,
  CreateEmails1764000000001,
  FindBodiesByAddress1764000000002,
  NameRecordsInAnswers1768000000000,
];
