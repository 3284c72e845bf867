import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { BenefitGrantCopy, CustomerMeterCopy } from '../replicas.ts';
import type { ToldSubscription } from '../subscriptions/messages.ts';
import { meterAmount } from '../subscriptions/present.ts';
import type { Customer } from './customer.ts';
import { presentCustomer } from './present.ts';
import type { CustomerStateWire } from './state-schema.ts';

/** All that decides what a customer may do now. */
export interface CustomerStanding {
  customer: Customer;
  subscriptions: readonly ToldSubscription[];
  grants: readonly BenefitGrantCopy[];
  meters: readonly CustomerMeterCopy[];
}

/** The customer's state (domain rules 7.2). */
export const presentState = ({
  customer,
  subscriptions,
  grants,
  meters,
}: CustomerStanding): CustomerStateWire =>
  ({
    ...presentCustomer(customer),
    active_subscriptions: subscriptions.map(presentActive),
    granted_benefits: grants.map((grant) => ({
      id: grant.id,
      created_at: grant.created_at,
      modified_at: grant.modified_at,
      granted_at: grant.granted_at ?? grant.created_at,
      benefit_id: grant.benefit_id,
      benefit_type: grant.benefit.type,
      benefit_metadata: grant.benefit.metadata,
      properties: grant.properties,
    })),
    active_meters: meters.map((meter) => ({
      id: meter.id,
      created_at: meter.created_at,
      modified_at: meter.modified_at,
      meter_id: meter.meter_id,
      consumed_units: meter.consumed_units,
      credited_units: meter.credited_units,
      balance: meter.balance,
    })),
  }) as CustomerStateWire;

const presentActive = ({ subscription, meters }: ToldSubscription) => ({
  ...presentRecorded(subscription),
  custom_field_data: subscription.custom_field_data,
  metadata: subscription.metadata,
  status: subscription.status,
  amount: subscription.amount,
  currency: subscription.currency,
  recurring_interval: subscription.recurring_interval,
  current_period_start: subscription.current_period_start.toISOString(),
  current_period_end: subscription.current_period_end.toISOString(),
  trial_start: iso(subscription.trial_start),
  trial_end: iso(subscription.trial_end),
  cancel_at_period_end: subscription.cancel_at_period_end,
  canceled_at: iso(subscription.canceled_at),
  started_at: iso(subscription.started_at),
  ends_at: iso(subscription.ends_at),
  product_id: subscription.product_id,
  discount_id: subscription.discount_id,
  meters: meters.map(({ row, consumed_units, credited_units }) => ({
    ...presentRecorded(row),
    consumed_units,
    credited_units,
    amount: meterAmount(subscription, row.meter_id, { consumed_units, credited_units }),
    meter_id: row.meter_id,
  })),
});
