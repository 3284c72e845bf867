import { isAnonymized } from '@tributary/proto/anonymized.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import { forgetRecord } from '@tributary/runtime/forget-record.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { endSessions } from './store.ts';

const Customer = z.looseObject({
  deleted_at: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** A customer who is gone is let in no longer, whether or not somebody said so by a call. */
export const onCustomerChanged = consumer({
  name: 'identity.end-sessions-of-deleted-customers',
  topic: stateTopics.customers.name,
  schema: Customer,
  async handle({ key, value }, tx) {
    if (value && isAnonymized(value)) await forgetRecord(tx, key);
    if (value === null || value.deleted_at != null) await endSessions(tx, { customer_id: key });
  },
});
