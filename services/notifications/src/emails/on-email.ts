import { EmailCommand } from '@tributary/proto/events/emails.ts';
import { emailsTopic } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { recipientHash } from './email.ts';
import { insertEmail } from './store.ts';

/** Queues a mail that a service ordered. */
export const onEmail = consumer({
  name: 'notifications.queue-email',
  topic: emailsTopic.name,
  schema: EmailCommand,
  async handle({ id, value, time }, tx, { clock }) {
    if (value === null) return;
    await insertEmail(tx, {
      id,
      created_at: time,
      organization_id: value.organization_id,
      recipient: value.to,
      recipient_hash: recipientHash(value.to),
      template: value.template,
      data: value.data,
      status: 'pending',
      failures: 0,
      error: null,
      due_at: clock.now(),
      claim_id: null,
      sent_at: null,
    });
  },
});
