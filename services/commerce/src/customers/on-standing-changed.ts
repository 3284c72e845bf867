import { stateTopics } from '@tributary/proto/events/topics.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { stateChangedSoon } from './state-changes.ts';
import { isCustomer } from './store.ts';

const OfCustomer = z.object({ customer_id: Id });

/** A grant or a meter of a customer has changed elsewhere: so has the customer's state. */
const follows = (resource: 'benefit_grants' | 'customer_meters') =>
  consumer({
    name: `commerce.tell-state-after-${resource}`,
    topic: stateTopics[resource].name,
    schema: OfCustomer,
    async handle({ value, time }, tx) {
      if (value && (await isCustomer(tx, value.customer_id)))
        await stateChangedSoon(tx, { id: value.customer_id }, time);
    },
  });

export const onGrantChanged = follows('benefit_grants');
export const onCustomerMeterChanged = follows('customer_meters');
