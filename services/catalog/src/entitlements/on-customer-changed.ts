import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { hasEntitlements } from './store.ts';

const Customer = z.looseObject({ deleted_at: z.string().nullish() });

/** A customer that is deleted loses everything. */
export const onCustomerChanged = consumer({
  name: 'catalog.follow-customers',
  topic: stateTopics.customers.name,
  schema: Customer,
  async handle({ key, value }, tx, { clock }) {
    if (value && !value.deleted_at) return;
    if (!(await hasEntitlements(tx, key))) return;
    await requestSweep(tx, 'entitlements-of-customer', key, clock.now());
    await requestSweep(tx, 'grants-of-customer', key, clock.now());
  },
});
