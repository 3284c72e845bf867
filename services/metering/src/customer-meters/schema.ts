import { Id, owned, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Meter } from '../meters/schema.ts';
import type { CustomerCopy } from '../replicas.ts';

const units = { consumed_units: z.number(), credited_units: z.int(), balance: z.number() };

export const CustomerMeter = z
  .object({
    ...resourceShape,
    customer_id: Id,
    meter_id: Id,
    ...units,
    customer: owned<CustomerCopy>('Customer'),
    meter: Meter,
  })
  .meta({ id: 'CustomerMeter' });
export type CustomerMeterWire = z.input<typeof CustomerMeter>;

const MeterInPortal = z
  .object({ ...resourceShape, name: z.string() })
  .meta({ id: 'CustomerCustomerMeterMeter' });

/** A customer meter as the customer sees it. */
export const CustomerMeterInPortal = z
  .object({ ...resourceShape, customer_id: Id, meter_id: Id, ...units, meter: MeterInPortal })
  .meta({ id: 'CustomerCustomerMeter' });
export type CustomerMeterInPortalWire = z.input<typeof CustomerMeterInPortal>;
