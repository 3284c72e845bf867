import pg from 'pg';
import { apiClient, expectStatus } from '../story/api.ts';
import { CREDITED_UNITS, type Load, PRICE, type Purchase } from './load.ts';
import type { ChaosPlatform } from './platform.ts';

// biome-ignore lint/suspicious/noExplicitAny: the reconciler reads records of every shape
type Json = any;

export interface Count {
  acknowledged: number;
  found: number;
  /** Acknowledged and not there. */
  lost: number;
  /** There more often than once, acknowledged or not. */
  doubled: number;
}

export interface Reconciliation {
  counts: { [what: string]: Count };
  /** What else is wrong, one line each. */
  faults: string[];
  parked: string[];
}

/** Consumers under whose name services set aside what is no message of ours. */
const UNREADABLE = '.unreadable';

export const isClean = ({ counts, faults }: Reconciliation): boolean =>
  faults.length === 0 && Object.values(counts).every(({ lost, doubled }) => lost === 0 && doubled === 0);

/**
 * Compares what the client was told with what the platform has: orders, subscriptions, grants, license keys and events
 * as the API shows them, webhooks as they came in, and the sums as the databases hold them.
 */
export async function reconcile(platform: ChaosPlatform, load: Load): Promise<Reconciliation> {
  const shown = await readRecords(platform, load);
  const { record } = load;
  const told = new Map<string, Set<string>>();
  for (const { id, data } of load.webhooks.received)
    told.set(data.checkout_id, (told.get(data.checkout_id) ?? new Set()).add(id));
  const count = (timesOf: (purchase: Purchase) => number, wanted = 1) =>
    countOf(record.purchases.map(timesOf), record.uncertainPurchases.map(timesOf), wanted);
  const ofBuyer = (list: Json[]) => {
    const by = Map.groupBy(list, (item) => item.customer.external_id);
    return ({ external_customer_id }: Purchase) => by.get(external_customer_id)?.length ?? 0;
  };
  const paid = shown.orders.filter((order) => order.status === 'paid' && order.total_amount === PRICE);
  const active = shown.subscriptions.filter((subscription) => subscription.status === 'active');
  const events = await ingested(platform, load);
  const counts = {
    orders: count(ofBuyer(paid)),
    subscriptions: count(ofBuyer(active)),
    grants: count(ofBuyer(shown.grants), 2),
    'license keys': count(ofBuyer(shown.licenseKeys)),
    'order.paid events': count(ofBuyer(shown.paidEvents)),
    webhooks: count((purchase) => told.get(purchase.checkout_id)?.size ?? 0),
    events: countOf(
      record.events.map((id) => events.get(id) ?? 0),
      record.uncertainEvents.map((id) => events.get(id) ?? 0),
      1,
    ),
  };
  const faults = [
    ...(shown.orders.length === paid.length ? [] : [`${shown.orders.length - paid.length} orders not paid`]),
    ...(await ledgerFaults(platform)),
    ...(await meterFaults(platform, load, shown.meters, ofBuyer(active))),
    ...(await messagingFaults(platform)),
    ...record.errors,
    ...(load.webhooks.refused === 0 ? [] : [`${load.webhooks.refused} webhooks with a wrong signature`]),
  ];
  const aside = await parked(platform);
  const unexpected = aside.filter(({ consumer }) => !consumer.endsWith(UNREADABLE));
  faults.push(...unexpected.map((each) => `set aside: ${nameOf(each)}`));
  return { counts, faults, parked: aside.map(nameOf) };
}

/** @param wanted how often one purchase must have made it */
function countOf(acknowledged: number[], uncertain: number[], wanted: number): Count {
  const sum = (list: number[]) => list.reduce((total, value) => total + value, 0);
  return {
    acknowledged: acknowledged.length * wanted,
    found: sum(acknowledged),
    lost: sum(acknowledged.map((times) => Math.max(0, wanted - times))),
    doubled: sum([...acknowledged, ...uncertain].map((times) => Math.max(0, times - wanted))),
  };
}

async function readRecords({ baseUrl }: ChaosPlatform, { token, meterId }: Load) {
  const api = apiClient({ baseUrl, token });
  const all = async (path: string): Promise<Json[]> => {
    const items: Json[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const separator = path.includes('?') ? '&' : '?';
      const body = expectStatus(await api.get(`${path}${separator}limit=100&page=${page}`), 200);
      items.push(...body.items);
      pages = body.pagination.max_page;
    }
    return items;
  };
  return {
    orders: await all('/v1/orders/?sorting=created_at'),
    subscriptions: await all('/v1/subscriptions/?sorting=started_at'),
    grants: await all('/v1/benefit-grants/?is_granted=true&sorting=created_at'),
    licenseKeys: await all('/v1/license-keys/'),
    meters: await all(`/v1/customer-meters/?meter_id=${meterId}`),
    paidEvents: await all('/v1/events/?name=order.paid&sorting=timestamp'),
  };
}

/** How often each event is stored, by its external id. */
async function ingested(platform: ChaosPlatform, load: Load): Promise<Map<string, number>> {
  const rows = await ask(
    platform.databaseUrls.metering,
    `select external_id, (select count(*)::integer from events where events.id = known.event_id) as times
     from event_external_ids known where organization_id = $1`,
    [platform.first.organization.id],
  );
  const [{ stored }] = await ask(
    platform.databaseUrls.metering,
    'select count(*)::integer as stored from events where organization_id = $1 and name = $2',
    [platform.first.organization.id, load.eventName],
  );
  const times = new Map<string, number>(rows.map((row) => [row.external_id, row.times]));
  // An event stored without its external id would be one that came twice.
  const surplus = stored - rows.length;
  if (surplus > 0 && load.record.events[0]) times.set(load.record.events[0], 1 + surplus);
  return times;
}

async function ledgerFaults({ databaseUrls }: ChaosPlatform): Promise<string[]> {
  const rows = await ask(
    databaseUrls.commerce,
    'select currency, sum(amount)::text as sum from ledger_entries group by currency having sum(amount) <> 0',
  );
  const twice = await ask(
    databaseUrls.commerce,
    `select order_id, count(*)::integer as payments from payments
     where status = 'succeeded' and order_id is not null group by order_id having count(*) > 1`,
  );
  return [
    ...rows.map(({ currency, sum }) => `ledger entries in ${currency} sum to ${sum}`),
    ...twice.map(({ order_id, payments }) => `order ${order_id} was paid ${payments} times`),
  ];
}

/** Every balance, as the API shows it, against a recount of the raw events and of the credits. */
async function meterFaults(
  platform: ChaosPlatform,
  load: Load,
  meters: Json[],
  subscriptionsOf: (purchase: Purchase) => number,
): Promise<string[]> {
  const rows = await ask(
    platform.databaseUrls.metering,
    `select customer_id,
            count(*) filter (where name = $2)::float8 as counted,
            coalesce(sum((metadata ->> 'units')::numeric) filter (where name = 'meter.credited'), 0)::float8 as granted
     from events where organization_id = $1 and name in ($2, 'meter.credited') group by customer_id`,
    [platform.first.organization.id, load.eventName],
  );
  const shown = new Map(meters.map((meter) => [meter.customer_id, meter]));
  const wrong = rows.filter(({ customer_id, counted, granted }) => {
    const { consumed_units = 0, credited_units = 0, balance = 0 } = shown.get(customer_id) ?? {};
    return consumed_units !== counted || credited_units !== granted || balance !== granted - counted;
  });
  const sold = [...load.record.purchases, ...load.record.uncertainPurchases]
    .map(subscriptionsOf)
    .reduce((total, times) => total + times, 0);
  const credited = rows.reduce((total, row) => total + row.granted, 0);
  return [
    ...wrong.map(({ customer_id, counted, granted }) => {
      const { consumed_units, credited_units, balance } = shown.get(customer_id) ?? {};
      return `customer ${customer_id}: ${consumed_units} consumed of ${counted} events, ${credited_units} credited of ${granted}, balance ${balance}`;
    }),
    ...(credited === sold * CREDITED_UNITS
      ? []
      : [`${credited} units credited for ${sold} subscriptions of ${CREDITED_UNITS}`]),
  ];
}

async function messagingFaults({ databaseUrls }: ChaosPlatform): Promise<string[]> {
  const lines = await Promise.all(
    Object.entries(databaseUrls).map(async ([service, url]) => {
      const [{ waiting }] = await ask(url, 'select count(*)::integer as waiting from outbox');
      return waiting === 0 ? [] : [`${waiting} messages wait in the outbox of ${service}`];
    }),
  );
  const [{ due }] = await ask(
    databaseUrls.notifications,
    'select count(*)::integer as due from webhook_events where due_at is not null',
  );
  return [...lines.flat(), ...(due === 0 ? [] : [`${due} webhooks are still to be delivered`])];
}

interface Parked {
  consumer: string;
  event_id: string;
  topic: string;
  error: string;
}

const nameOf = ({ consumer, event_id, topic, error }: Parked) =>
  `${consumer} ${topic} ${event_id}: ${error.slice(0, 300)}`;

async function parked({ databaseUrls }: ChaosPlatform): Promise<Parked[]> {
  const lists = await Promise.all(
    Object.values(databaseUrls).map((url) =>
      ask(url, 'select consumer, event_id, topic, error from parked_messages order by parked_at'),
    ),
  );
  return lists.flat();
}

async function ask(connectionString: string, sql: string, values: unknown[] = []): Promise<Json[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}
