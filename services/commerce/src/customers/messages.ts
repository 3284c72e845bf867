import { isDeepStrictEqual } from 'node:util';
import {
  type OutgoingMessage,
  type SystemEventContext,
  stateChanged,
  systemEvent,
  webhookEvent,
} from '@tributary/proto/events/message.ts';
import type { Address } from '../addresses/address.ts';
import type { Customer } from './customer.ts';
import { presentCustomer } from './present.ts';

/** Who a system event of this customer speaks of. */
export const eventContext = (
  customer: Customer,
  timestamp: Date,
): SystemEventContext<'customer.created'> => ({
  organization_id: customer.organization_id,
  customer_id: customer.id,
  external_customer_id: customer.external_id,
  timestamp,
});

const facts = (customer: Customer) => ({
  customer_id: customer.id,
  customer_email: customer.email,
  customer_name: customer.name,
  customer_external_id: customer.external_id,
});

export function customerCreated(customer: Customer, now: Date): OutgoingMessage[] {
  const presented = presentCustomer(customer);
  return [
    systemEvent('customer.created', eventContext(customer, now), facts(customer)),
    webhookEvent('customer.created', customer.organization_id, presented, now),
    stateChanged('customers', customer.id, presented),
  ];
}

/** Empty when nothing an integrator can see has changed. */
export function customerUpdated(before: Customer, customer: Customer, now: Date): OutgoingMessage[] {
  const presented = presentCustomer(customer);
  const previous = { ...presentCustomer(before), modified_at: presented.modified_at };
  if (isDeepStrictEqual(previous, presented)) return [];
  const updated_fields = updatedFields(before, customer);
  const isEvent = Object.keys(updated_fields).length > 0;
  return [
    ...(isEvent
      ? [systemEvent('customer.updated', eventContext(customer, now), { ...facts(customer), updated_fields })]
      : []),
    webhookEvent('customer.updated', customer.organization_id, presented, now),
    stateChanged('customers', customer.id, presented),
  ];
}

/** @param deleted the record after deletion, and after anonymization where that was asked for */
export function customerDeleted(before: Customer, deleted: Customer, now: Date): OutgoingMessage[] {
  const presented = presentCustomer(deleted);
  const { external_id } = before;
  return [
    systemEvent(
      'customer.deleted',
      { ...eventContext(deleted, now), external_customer_id: external_id },
      { ...facts(deleted), customer_external_id: external_id },
    ),
    webhookEvent('customer.deleted', deleted.organization_id, presented, now),
    stateChanged('customers', deleted.id, presented),
  ];
}

function updatedFields(before: Customer, after: Customer) {
  const changed = <K extends keyof Customer, V>(key: K, value: (customer: Customer) => V) =>
    isDeepStrictEqual(before[key], after[key]) ? {} : { [key]: value(after) };
  return {
    ...changed('name', (customer) => customer.name),
    ...changed('billing_name', (customer) => customer.billing_name),
    ...changed('email', (customer) => customer.email),
    ...changed(
      'billing_address',
      (customer) => customer.billing_address && withoutNulls(customer.billing_address),
    ),
    ...changed('tax_id', (customer) => customer.tax_id?.[0] ?? null),
    ...changed('metadata', (customer) => customer.metadata),
  };
}

const withoutNulls = (address: Address) =>
  Object.fromEntries(Object.entries(address).filter(([, value]) => value !== null));
