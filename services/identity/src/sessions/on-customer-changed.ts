import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { endSessions } from './store.ts';

const Customer = z.looseObject({ deleted_at: z.string().nullish() });

/** A customer who is gone is let in no longer, whether or not somebody said so by a call. */
export const onCustomerChanged = consumer({
  name: 'identity.end-sessions-of-deleted-customers',
  topic: stateTopics.customers.name,
  schema: Customer,
  async handle({ key, value }, tx) {
    if (value === null || value.deleted_at != null) await endSessions(tx, { customer_id: key });
  },
});
