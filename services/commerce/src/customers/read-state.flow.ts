import { webhookEvent } from '@tributary/proto/events/message.ts';
import { inTransaction, type Reader } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import {
  type BenefitGrantCopy,
  type CustomerMeterCopy,
  copiesOfCustomer,
  copyTables,
  localCopies,
} from '../replicas.ts';
import { withParts } from '../subscriptions/load-parts.flow.ts';
import type { MeterCopy } from '../subscriptions/present.ts';
import { activeSubscriptionsOf } from '../subscriptions/store.ts';
import { fetchCopies } from '../subscriptions/view-subscriptions.flow.ts';
import type { Customer } from './customer.ts';
import { type CustomerStanding, presentState } from './present-state.ts';
import { dueStateChanges, takeStateChange } from './state-changes.ts';
import { customersById } from './store.ts';

/** What a customer has now: subscriptions, benefits, meters. Asks other services only for copies that are missing. */
export async function readState(app: App, customer: Customer): Promise<CustomerStanding> {
  const reader = app.db.manager;
  const active = await activeSubscriptionsOf(reader, customer.id);
  await fetchCopies(app, active);
  const [subscriptions, grants, meters] = await Promise.all([
    withParts(reader, active),
    copiesOfCustomer<BenefitGrantCopy>(reader, copyTables.benefit_grants, customer.id),
    activeMeters(reader, customer.id),
  ]);
  return { customer, subscriptions, grants: grants.filter((grant) => grant.is_granted), meters };
}

/** Meters that still count. */
async function activeMeters(reader: Pick<Reader, 'query'>, customerId: string): Promise<CustomerMeterCopy[]> {
  const totals = await copiesOfCustomer<CustomerMeterCopy>(reader, copyTables.customer_meters, customerId);
  const meterIds = totals.map((meter) => meter.meter_id);
  const meters = await localCopies<MeterCopy>(reader, copyTables.meters, meterIds);
  return totals.filter(({ meter_id }) => (meters.get(meter_id)?.archived_at ?? null) === null);
}

const BATCH = 50;

/** Tells integrators of customers whose state has changed: once for the changes of a few seconds. */
export async function tellStateChanges(app: App, now: Date): Promise<boolean> {
  const due = await dueStateChanges(app.db.manager, now, BATCH);
  const customers = await customersById(
    app.db.manager,
    due.map((change) => change.customer_id),
  );
  for (const change of due) {
    const customer = customers.get(change.customer_id);
    const standing = customer?.deleted_at === null ? await readState(app, customer) : undefined;
    await inTransaction(app.db, async (tx) => {
      if (!(await takeStateChange(tx, change)) || !standing) return;
      const { organization_id } = standing.customer;
      await emit(tx, [webhookEvent('customer.state_changed', organization_id, presentState(standing), now)]);
    });
  }
  return due.length === BATCH;
}
