import { stateChanged } from '@tributary/proto/events/message.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { presentCustomer } from './present.ts';
import { findAndLockCustomer, saveCustomer } from './store.ts';

const FirstEvent = z.object({ id: Id, first_user_event_at: z.coerce.date() });

/** Notes when a customer did something for the first time. Nothing a merchant did: copies hear of it, nobody else. */
export const onFirstEvent = consumer({
  name: 'commerce.note-first-event',
  topic: stateTopics.first_user_events.name,
  schema: FirstEvent,
  async handle({ value }, tx) {
    if (!value) return;
    const customer = await findAndLockCustomer(tx, value.id);
    if (!customer || customer.first_user_event_at?.getTime() === value.first_user_event_at.getTime()) return;
    const noted = { ...customer, first_user_event_at: value.first_user_event_at };
    await saveCustomer(tx, noted, [stateChanged('customers', noted.id, presentCustomer(noted))]);
  },
});
