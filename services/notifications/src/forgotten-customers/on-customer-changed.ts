import { stateTopics } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { recipientHash } from '../emails/email.ts';
import { CustomerState, forgottenAt, hashInAddress } from './customer-state.ts';
import { forget } from './forget-customers.flow.ts';
import { insertForgottenCustomer, rememberAddress } from './store.ts';

/** Remembers a customer's addresses, and when the customer is anonymized, what they lead to is forgotten. */
export const onCustomerChanged = consumer({
  name: 'notifications.forget-customer',
  topic: stateTopics.customers.name,
  schema: CustomerState,
  async handle({ value, time }, tx, app) {
    if (value === null) return;
    const at = forgottenAt(value, time);
    if (at === null) {
      if (value.email) await rememberAddress(tx, value.id, recipientHash(value.email));
      return;
    }
    const lastAddress = hashInAddress(value.email);
    if (lastAddress) await rememberAddress(tx, value.id, lastAddress);
    await insertForgottenCustomer(tx, value, at, app.clock.now());
    await forget(tx, app, [value.id]);
  },
});
