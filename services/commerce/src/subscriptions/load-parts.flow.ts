import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Customer } from '../customers/customer.ts';
import { customersById } from '../customers/store.ts';
import type { ProductCopy } from '../products/product.ts';
import { type CustomerMeterCopy, copyTables, localCopies } from '../replicas.ts';
import type { ToldSubscription } from './messages.ts';
import type { MeterCopy, MeteredPart } from './present.ts';
import { metersOfSubscriptions } from './store.ts';
import type { Subscription } from './subscription.ts';

/**
 * Subscriptions with all that their representation embeds, from what is kept here: five statements for any number,
 * no remote call, so it is fit for transactions. One whose product is not known here is left out.
 */
export async function withParts(reader: Reader, found: readonly Subscription[]): Promise<ToldSubscription[]> {
  const rows = await metersOfSubscriptions(
    reader,
    found.map(({ id }) => id),
  );
  const meterIds = [...rows.values()].flat().map((row) => row.meter_id);
  const customerIds = found.map((subscription) => subscription.customer_id);
  const customers = await customersById(reader, customerIds);
  const products = await localCopies<ProductCopy>(
    reader,
    copyTables.products,
    found.map((subscription) => subscription.product_id),
  );
  const meters = await localCopies<MeterCopy>(reader, copyTables.meters, meterIds);
  const totals = await meterTotals(reader, customerIds, meterIds);
  return found.flatMap((subscription): ToldSubscription[] => {
    const product = products.get(subscription.product_id);
    const customer = customers.get(subscription.customer_id) as Customer;
    const parts = (rows.get(subscription.id) ?? []).map(
      (row): MeteredPart => ({
        row,
        meter: meters.get(row.meter_id) ?? null,
        ...(totals.get(`${subscription.customer_id} ${row.meter_id}`) ?? NOTHING_USED),
      }),
    );
    return product ? [{ subscription, customer, product, meters: parts }] : [];
  });
}

const NOTHING_USED = { consumed_units: 0, credited_units: 0 };

async function meterTotals(
  reader: Pick<Reader, 'query'>,
  customerIds: readonly string[],
  meterIds: readonly string[],
): Promise<Map<string, Pick<CustomerMeterCopy, 'consumed_units' | 'credited_units'>>> {
  if (meterIds.length === 0) return new Map();
  const rows: { value: CustomerMeterCopy }[] = await reader.query(
    `select value from ${copyTables.customer_meters}
     where value ->> 'customer_id' = any($1) and value ->> 'meter_id' = any($2)`,
    [customerIds, meterIds],
  );
  return new Map(
    rows.map(({ value: { customer_id, meter_id, consumed_units, credited_units } }) => [
      `${customer_id} ${meter_id}`,
      { consumed_units, credited_units },
    ]),
  );
}
