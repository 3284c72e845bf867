import { query, type Row } from './databases.ts';
import type { Load } from './load.ts';
import { CREDITED_UNITS } from './merchant.ts';
import type { ChaosPlatform } from './platform.ts';

/** Ledger entries that do not sum to zero, and orders that were paid twice; one line each. */
export async function booksOutOfBalance({ databaseUrls }: ChaosPlatform): Promise<string[]> {
  const sums = await query(
    databaseUrls.commerce,
    'select currency, sum(amount)::text as sum from ledger_entries group by currency having sum(amount) <> 0',
  );
  const twice = await query(
    databaseUrls.commerce,
    `select order_id, count(*)::integer as payments from payments
     where status = 'succeeded' and order_id is not null group by order_id having count(*) > 1`,
  );
  return [
    ...sums.map(({ currency, sum }) => `ledger entries in ${currency} sum to ${sum}`),
    ...twice.map(({ order_id, payments }) => `order ${order_id} was paid ${payments} times`),
  ];
}

/** Every balance, as the API shows it, against a recount of the raw events and of the credits. */
export async function metersOutOfBalance(
  { databaseUrls }: ChaosPlatform,
  { merchant, eventName, meter, record }: Load,
  shown: Row[],
  subscriptions: Row[],
): Promise<string[]> {
  const rows = await query(
    databaseUrls.metering,
    `select customer_id,
            count(*) filter (where name = $2)::float8 as used,
            coalesce(sum(units), 0)::float8 as all_credited,
            coalesce(sum(units) filter (where timestamp >= coalesce(reset_at, '-infinity')), 0)::float8 as credited
     from (
       select customer_id, name, timestamp,
              case when name = 'meter.credited' then (metadata ->> 'units')::numeric end as units,
              max(timestamp) filter (where name = 'meter.reset') over (partition by customer_id) as reset_at
       from events
       where organization_id = $1
         and (name = $2 or name in ('meter.credited', 'meter.reset') and metadata ->> 'meter_id' = $3)
     ) event group by customer_id`,
    [merchant.organizationId, eventName, meter.id],
  );
  const byCustomer = new Map(shown.map((item) => [item.customer_id, item]));
  const wrong = rows.filter(({ customer_id, used, credited }) => {
    const { consumed_units = 0, credited_units = 0, balance = 0 } = byCustomer.get(customer_id) ?? {};
    return consumed_units !== used || credited_units !== credited || balance !== credited - used;
  });
  const periods = subscriptions.map(({ customer }) => (record.renewed.has(customer.external_id) ? 2 : 1));
  const granted = periods.reduce((sum, count) => sum + count * CREDITED_UNITS, 0);
  const credited = rows.reduce((sum, row) => sum + row.all_credited, 0);
  return [
    ...wrong.map(({ customer_id, used, credited }) => {
      const { consumed_units, credited_units, balance } = byCustomer.get(customer_id) ?? {};
      return `customer ${customer_id}: ${consumed_units} consumed of ${used} events, ${credited_units} credited of ${credited}, balance ${balance}`;
    }),
    ...(credited === granted
      ? []
      : [`${credited} units credited instead of ${granted}, for ${subscriptions.length} subscriptions`]),
  ];
}
