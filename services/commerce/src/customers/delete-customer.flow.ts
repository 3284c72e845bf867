import { stateChanged } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { forgetRecord } from '@tributary/runtime/forget-record.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import { forgetBuyer } from '../checkouts/store.ts';
import { retellSeats } from '../customer-seats/retell-seats.flow.ts';
import { revokeSeats } from '../customer-seats/revoke-seats.flow.ts';
import { forgetSeatsOf } from '../customer-seats/store.ts';
import { anonymizeMember, removeMember } from '../members/member.ts';
import { memberDeleted } from '../members/messages.ts';
import { anonymizeMembersOf, membersOf, saveMember } from '../members/store.ts';
import { forgetOrdersOf } from '../orders/store.ts';
import { removePaymentMethods } from '../payment-methods/store.ts';
import { forgetPaymentsOf } from '../payments/store.ts';
import { reachable } from '../scope.ts';
import { cancelSubscriptionsOf, prepareCancellation } from '../subscriptions/end-subscription.flow.ts';
import { retellSubscriptions } from '../subscriptions/retell-subscriptions.flow.ts';
import { forgetSubscriptionsOf } from '../subscriptions/store.ts';
import { forgetTrialsOf } from '../subscriptions/trial-redemptions.ts';
import { anonymizeCustomer, type Customer, deleteCustomer } from './customer.ts';
import { customerDeleted } from './messages.ts';
import { presentCustomer } from './present.ts';
import { type CustomerReference, findDeleted, getCustomer, lockCustomer, saveCustomer } from './store.ts';

/**
 * Deletes a customer (domain rules 7.1): subscriptions end at once, members go, and with `anonymize` so does all
 * that tells who the person was. Access to benefits is taken by those who gave it, when they hear of it.
 */
export async function deleteCustomerRecord(
  call: Call<unknown, { anonymize?: boolean }, unknown>,
  app: App,
  reference: CustomerReference,
): Promise<void> {
  const { principal, query, now } = call;
  const isAnonymous = query.anonymize ?? false;
  const gone = isAnonymous ? await findDeleted(app.db.manager, reachable(principal), reference) : null;
  if (gone) return anonymizeLater(call, gone);
  const seen = await getCustomer(app.db.manager, reachable(principal), reference);
  requireAdministrator(principal, seen.organization_id);
  // Sessions first: should the rest fail, the customer only has to sign in again.
  await app.sessions.endSessions({ customer_id: seen.id });
  await prepareCancellation(app, seen.id);
  await call.transaction(async (tx) => {
    const customer = await getCustomer(tx, [seen.organization_id], { id: seen.id }, true);
    const deleted = deleteCustomer({ ...customer, default_payment_method_id: null }, now);
    const left = isAnonymous ? anonymizeCustomer(deleted, now) : deleted;
    // The record first: whatever ends with the customer is told with what may still be shown of them.
    await saveCustomer(tx, left, customerDeleted(customer, left, now));
    if (isAnonymous) await forgetTraces(tx, customer);
    await removeMembers(tx, customer, isAnonymous, now);
    if (isAnonymous) await anonymizeMembersOf(tx, customer.id);
    await cancelSubscriptionsOf(tx, customer.id, now);
    await revokeSeats(tx, { buyer_id: customer.id }, now);
    await revokeSeats(tx, { customer_id: customer.id }, now);
    await removePaymentMethods(tx, customer.id, now);
    if (isAnonymous) await retell(tx, customer, now);
  });
}

/** Who was deleted with their data can still be anonymized; asking again changes nothing. */
async function anonymizeLater(call: Call<unknown, unknown, unknown>, seen: Customer): Promise<void> {
  requireAdministrator(call.principal, seen.organization_id);
  await call.transaction(async (tx) => {
    const customer = await lockCustomer(tx, seen.id);
    const left = anonymizeCustomer(customer, call.now);
    if (left === customer) return;
    await saveCustomer(tx, left, [stateChanged('customers', left.id, presentCustomer(left))]);
    await forgetTraces(tx, customer);
    await anonymizeMembersOf(tx, customer.id);
    await retell(tx, customer, call.now);
  });
}

async function removeMembers(tx: Tx, customer: Customer, isAnonymous: boolean, now: Date): Promise<void> {
  for (const member of await membersOf(tx, customer.id)) {
    const removed = removeMember(member, now);
    const left = isAnonymous ? anonymizeMember(removed, now) : removed;
    await saveMember(tx, left, memberDeleted(left, now));
  }
}

/** What other records kept of the person, each in its own table. */
async function forgetTraces(tx: Tx, customer: Customer): Promise<void> {
  await forgetRecord(tx, customer.id);
  await forgetOrdersOf(tx, customer.id);
  await forgetSubscriptionsOf(tx, customer.id);
  await forgetSeatsOf(tx, customer.id);
  await forgetPaymentsOf(tx, customer.id);
  await forgetTrialsOf(tx, customer.id);
  await forgetBuyer(tx, customer);
}

/** Other services have copies, and topics the last state, of what the customer had: also of what ended long ago. */
async function retell(tx: Tx, { id }: Customer, now: Date): Promise<void> {
  await retellSubscriptions(tx, id);
  await retellSeats(tx, { buyer_id: id }, now);
  await retellSeats(tx, { customer_id: id }, now);
}
