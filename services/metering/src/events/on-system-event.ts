import { readSystemEvent, type SystemEvent } from '@tributary/proto/events/system-events.ts';
import { eventFamilies, eventTopics } from '@tributary/proto/events/topics.ts';
import type { Consumer } from '@tributary/runtime/messaging/consumer.ts';
import { z } from 'zod';
import { type App, consumer } from '../app.ts';
import { forgetPerson } from '../customers/forget-store.ts';
import type { CustomerCopy } from '../replicas.ts';
import { storeSystemEvent } from './store-system-event.flow.ts';

const AnySystemEvent = z.unknown().transform((value, context): SystemEvent => {
  try {
    return readSystemEvent(value);
  } catch (error) {
    context.addIssue({ code: 'custom', message: String(error) });
    return z.NEVER;
  }
});

/** Stores every system event, whoever produced it, so that it can be read under its id. */
export const systemEventConsumers: Consumer<App>[] = eventFamilies.map((family) =>
  consumer({
    name: `metering.store-${family}-events`,
    topic: eventTopics[family].name,
    schema: AnySystemEvent,
    async handle({ value: event }, tx) {
      if (event === null) return;
      await storeSystemEvent(tx, event);
      if (family !== 'customer' || event.customer_id === null) return;
      // The message may be older than the wish to be forgotten.
      const [copy]: { value: CustomerCopy | null }[] = await tx.query(
        'select value from customers_replica where id = $1',
        [event.customer_id],
      );
      if (copy?.value) await forgetPerson(tx, copy.value);
    },
  }),
);
