import { isAnonymized } from '@tributary/proto/anonymized.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import { forgetRecord } from '@tributary/runtime/forget-record.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { hasEntitlements } from './store.ts';

const Customer = z.looseObject({
  deleted_at: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
});

/** A customer that is deleted loses everything; one that is anonymized is forgotten as well. */
export const onCustomerChanged = consumer({
  name: 'catalog.follow-customers',
  topic: stateTopics.customers.name,
  schema: Customer,
  async handle({ key, value }, tx, { clock }) {
    if (value && !value.deleted_at) return;
    if (value && isAnonymized(value)) await forgetRecord(tx, key);
    if (!(await hasEntitlements(tx, key))) return;
    await requestSweep(tx, 'entitlements-of-customer', key, clock.now());
    await requestSweep(tx, 'grants-of-customer', key, clock.now());
  },
});
