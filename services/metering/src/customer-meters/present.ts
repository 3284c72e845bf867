import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import { presentMeter } from '../meters/present.ts';
import type { CustomerMeter, CustomerMeterInContext } from './customer-meter.ts';
import type { CustomerMeterInPortalWire, CustomerMeterWire } from './schema.ts';

const presentUnits = (row: CustomerMeter) => ({
  customer_id: row.customer_id,
  meter_id: row.meter_id,
  consumed_units: Number(row.consumed_units),
  credited_units: row.credited_units,
  balance: Number(row.balance),
});

export const presentCustomerMeter = ({
  row,
  customer,
  meter,
}: CustomerMeterInContext): CustomerMeterWire => ({
  ...presentRecorded(row),
  ...presentUnits(row),
  customer,
  meter: presentMeter(meter),
});

export const presentInPortal = ({
  row,
  meter,
}: Pick<CustomerMeterInContext, 'row' | 'meter'>): CustomerMeterInPortalWire => ({
  ...presentRecorded(row),
  ...presentUnits(row),
  meter: { ...presentRecorded(meter), name: meter.name },
});

/** A customer meter for the other services' copies: what is not somebody else's. */
export const presentState = (row: CustomerMeter & { organization_id: string }) => ({
  ...presentRecorded(row),
  organization_id: row.organization_id,
  ...presentUnits(row),
});
