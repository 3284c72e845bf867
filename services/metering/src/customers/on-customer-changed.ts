import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { noteFirstUnder } from '../first-events/note-first-events.flow.ts';
import type { CustomerCopy } from '../replicas.ts';
import { forgetPerson } from './forget-store.ts';
import { joinEvents } from './join-events.flow.ts';
import { nameCustomer } from './store.ts';

/** Events that join their customer together with the message that brings it; a job brings the rest. */
const JOINED_AT_ONCE = 2_000;

/** Keeps external ids in step with customers, counts what came before them, forgets who was anonymized. */
export const onCustomerChanged = consumer({
  name: 'metering.follow-customer',
  topic: stateTopics.customers.name,
  schema: z.custom<CustomerCopy>((value) => typeof value === 'object'),
  async handle({ value: customer, time }, tx) {
    if (!customer) return;
    await nameCustomer(tx, customer);
    if (customer.external_id !== null && customer.deleted_at === null) {
      const { organization_id, external_id } = customer;
      await noteFirstUnder(tx, customer, external_id);
      await joinEvents(tx, { organization_id, external_id }, JOINED_AT_ONCE, time);
    }
    await forgetPerson(tx, customer);
  },
});
