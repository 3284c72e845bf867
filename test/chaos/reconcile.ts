import { serviceNames } from '@tributary/embedded/service-names.ts';
import { query } from './databases.ts';
import type { Load, Purchase } from './load.ts';
import { PRICE } from './merchant.ts';
import { faultsInOwnReports } from './own-reports.ts';
import type { ChaosPlatform } from './platform.ts';
import { type Records, readRecords } from './records.ts';
import { booksOutOfBalance, metersOutOfBalance } from './sums.ts';

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
  /** Messages that were set aside meanwhile. */
  parked: Parked[];
}

export interface Parked {
  consumer: string;
  event_id: string;
  line: string;
}

export const isClean = ({ counts, faults }: Reconciliation): boolean =>
  faults.length === 0 && Object.values(counts).every(({ lost, doubled }) => lost === 0 && doubled === 0);

/**
 * Compares what the client was told with what the platform has: orders, subscriptions, grants, license keys and events
 * as the API shows them, webhooks as they came in, and the sums as the databases hold them. Once all of that is right,
 * the services' own reports must say so, too.
 */
export async function reconcile(platform: ChaosPlatform, load: Load): Promise<Reconciliation> {
  const shown = await readRecords(load);
  const orders = shown.orders.filter((order) => order.status === 'paid' && order.total_amount === PRICE);
  const subscriptions = shown.subscriptions.filter((subscription) => subscription.status === 'active');
  const { parked, unexpected } = await readParked(platform, load);
  const reconciliation: Reconciliation = {
    counts: {
      ...countPurchases(load, { ...shown, orders, subscriptions }),
      ...(await countEvents(platform, load)),
      'customer changes': countChanges(load, shown),
    },
    faults: [
      ...(shown.orders.length === orders.length ? [] : ['there are orders that are not paid']),
      ...(await booksOutOfBalance(platform)),
      ...(await metersOutOfBalance(platform, load, shown.meters, subscriptions)),
      ...(await copiesOutOfDate(platform, load)),
      ...(await unfinished(platform, load)),
      ...unexpected,
    ],
    parked,
  };
  if (isClean(reconciliation)) reconciliation.faults.push(...(await faultsInOwnReports(platform)));
  return reconciliation;
}

function countPurchases({ record, merchant }: Load, shown: Records): { [what: string]: Count } {
  const periodsOf = ({ external_customer_id }: Purchase) =>
    record.renewed.has(external_customer_id) ? 2 : 1;
  const count = (timesOf: (purchase: Purchase) => number, wanted: (purchase: Purchase) => number) =>
    countOf(record.purchases, record.uncertainPurchases, timesOf, wanted);
  const ofBuyer = (list: { customer: { external_id: string } }[]) => {
    const by = Map.groupBy(list, (item) => item.customer.external_id);
    return ({ external_customer_id }: Purchase) => by.get(external_customer_id)?.length ?? 0;
  };
  const told = new Map<string, Set<string>>();
  for (const { id, data } of merchant.webhooks.received) {
    const buyer = data.customer.external_id;
    told.set(buyer, (told.get(buyer) ?? new Set()).add(id));
  }
  return {
    orders: count(ofBuyer(shown.orders), periodsOf),
    subscriptions: count(ofBuyer(shown.subscriptions), () => 1),
    grants: count(ofBuyer(shown.grants), () => 2),
    'license keys': count(ofBuyer(shown.licenseKeys), () => 1),
    'order.paid events': count(ofBuyer(shown.paidEvents), periodsOf),
    webhooks: count(({ external_customer_id }) => told.get(external_customer_id)?.size ?? 0, periodsOf),
  };
}

/** Ingested events: each is stored once under its external id, and none without one. */
async function countEvents({ databaseUrls }: ChaosPlatform, { record, merchant, eventName }: Load) {
  const rows = await query(
    databaseUrls.metering,
    `select known.external_id, count(*)::integer as times
     from events left join event_external_ids known on known.event_id = events.id
     where events.organization_id = $1 and events.name = $2 group by known.external_id`,
    [merchant.organizationId, eventName],
  );
  const times = new Map<string | null, number>(rows.map((row) => [row.external_id, row.times]));
  const events = countOf(
    record.events,
    record.uncertainEvents,
    (id) => times.get(id) ?? 0,
    () => 1,
  );
  return { events: { ...events, doubled: events.doubled + (times.get(null) ?? 0) } };
}

/** Every name that the load gave to its customer became one event. */
function countChanges({ record }: Load, { changeEvents }: Records): Count {
  const by = Map.groupBy(changeEvents, (event) => event.metadata.updated_fields.name);
  const timesOf = (name: string) => by.get(name)?.length ?? 0;
  return countOf(record.names, record.uncertainNames, timesOf, () => 1);
}

/** @param wanted how often each must be there */
function countOf<T>(
  acknowledged: readonly T[],
  uncertain: readonly T[],
  timesOf: (thing: T) => number,
  wanted: (thing: T) => number,
): Count {
  const sum = (list: number[]) => list.reduce((total, value) => total + value, 0);
  const above = (thing: T) => Math.max(0, timesOf(thing) - wanted(thing));
  return {
    acknowledged: sum(acknowledged.map(wanted)),
    found: sum(acknowledged.map(timesOf)),
    lost: sum(acknowledged.map((thing) => Math.max(0, wanted(thing) - timesOf(thing)))),
    doubled: sum([...acknowledged, ...uncertain].map(above)),
  };
}

/** Services that keep a copy of customers. */
const COPIES = ['catalog', 'metering'] as const;

async function copiesOutOfDate({ databaseUrls }: ChaosPlatform, { changing }: Load): Promise<string[]> {
  const [{ name }] = await query(databaseUrls.commerce, 'select name from customers where id = $1', [
    changing.id,
  ]);
  const lines = await Promise.all(
    COPIES.map(async (service) => {
      const [copy] = await query(
        databaseUrls[service],
        `select value ->> 'name' as name from customers_replica where id = $1`,
        [changing.id],
      );
      return copy?.name === name ? [] : [`${service} knows a customer as ${copy?.name} who is ${name}`];
    }),
  );
  return lines.flat();
}

/** What has not come to its end: messages, webhooks, checkouts. */
async function unfinished({ databaseUrls }: ChaosPlatform, { product }: Load): Promise<string[]> {
  const waiting = await Promise.all(
    serviceNames.map(async (service) => {
      const [{ count }] = await query(databaseUrls[service], 'select count(*)::integer as count from outbox');
      return { count, what: `messages in the outbox of ${service}` };
    }),
  );
  const [due] = await query(
    databaseUrls.notifications,
    `select count(*)::integer as count, 'webhooks to be delivered' as what from webhook_events where due_at is not null`,
  );
  const [confirmed] = await query(
    databaseUrls.commerce,
    `select count(*)::integer as count, 'confirmed checkouts' as what from checkouts where status = 'confirmed' and product_id = $1`,
    [product.id],
  );
  return [...waiting, due, confirmed].flatMap(({ count, what }) =>
    count === 0 ? [] : [`${count} ${what} wait`],
  );
}

/** Consumers under whose name services set aside what is no message of theirs. */
const UNREADABLE = '.unreadable';

async function readParked({ databaseUrls }: ChaosPlatform, { since, merchant }: Load) {
  const lists = await Promise.all(
    Object.values(databaseUrls).map((url) =>
      query(url, 'select consumer, topic, event_id, error from parked_messages where parked_at >= $1', [
        since,
      ]),
    ),
  );
  const parked: Parked[] = lists.flat().map(({ consumer, event_id, topic, error }) => ({
    consumer,
    event_id,
    line: `${topic} ${event_id}: ${error.replaceAll(/\s+/g, ' ').slice(0, 80)}`,
  }));
  const unexpected = parked.filter(
    ({ consumer, event_id }) => !consumer.endsWith(UNREADABLE) && !merchant.poison.has(event_id),
  );
  return { parked, unexpected: unexpected.map(({ consumer, line }) => `${consumer} set aside ${line}`) };
}
