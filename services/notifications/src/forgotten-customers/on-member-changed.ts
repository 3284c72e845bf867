import { stateTopics } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { recipientHash } from '../emails/email.ts';
import { MemberState } from './customer-state.ts';
import { rememberAddress } from './store.ts';

/** Mails to a customer's members are forgotten with the customer. */
export const onMemberChanged = consumer({
  name: 'notifications.remember-member',
  topic: stateTopics.members.name,
  schema: MemberState,
  async handle({ value }, tx) {
    if (value?.email) await rememberAddress(tx, value.customer_id, recipientHash(value.email));
  },
});
