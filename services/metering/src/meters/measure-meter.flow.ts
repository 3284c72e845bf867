import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { externalCustomers } from '../customers/external-store.ts';
import type { Meter } from './meter.ts';
import type { QuantityQuery } from './quantity-schema.ts';
import { type Quantities, readQuantities } from './quantity-store.ts';

/** Quantities of a meter by interval, of the customers that the query means. */
export async function measureMeter(db: Reader, meter: Meter, query: QuantityQuery): Promise<Quantities> {
  const external = await externalCustomers(db, [meter.organization_id], query.external_customer_id);
  return readQuantities(db, meter, query, external);
}
