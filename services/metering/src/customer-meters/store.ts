import { escapeLike, FEW, NULLS } from '@tributary/runtime/db/list.ts';
import type { Database, Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { Replica } from '@tributary/runtime/replica/replica.ts';
import { type MeterJson, meterOfJson } from '../meters/meter.ts';
import type { CustomerCopy } from '../replicas.ts';
import { Conditions } from '../sql.ts';
import { CUSTOMER_METER_COLUMNS, followNow } from './changes-store.ts';
import type { CustomerMeter, CustomerMeterInContext } from './customer-meter.ts';

export interface CustomerMeterFilters {
  organizations: readonly string[];
  customer_id?: readonly string[];
  external_customer_id?: readonly string[];
  meter_id?: readonly string[];
  /** Part of the meter's name. */
  query?: string;
}

/** SQL of each sort key. What every batch of events changes is sorted by the ranks, which have indexes for it. */
const sortColumns = {
  created_at: 'row.created_at',
  modified_at: 'rank.modified_at',
  customer_id: 'row.customer_id',
  customer_name: `customer.value ->> 'name'`,
  meter_id: 'row.meter_id',
  meter_name: 'meter.name',
  consumed_units: 'rank.consumed_units',
  credited_units: 'rank.credited_units',
  balance: 'rank.balance',
} as const;

export type CustomerMeterSortKey = keyof typeof sortColumns;
export const customerMeterSortKeys = Object.keys(sortColumns) as CustomerMeterSortKey[];
type Sorting = readonly SortCriterion<CustomerMeterSortKey>[];

const reads = (table: 'rank' | 'customer' | 'meter', sorting: Sorting) =>
  sorting.some(({ by }) => sortColumns[by].startsWith(`${table}.`));

/** Columns of a customer meter with the meter itself. */
const COLUMNS = `${CUSTOMER_METER_COLUMNS}, to_jsonb(meter) as meter`;

type Row = CustomerMeter & { meter: MeterJson };

/** One page; customers are read in one statement. Customers that are gone leave their rows out. */
export async function listCustomerMeters(
  db: Database,
  copies: Replica<CustomerCopy>,
  filters: CustomerMeterFilters,
  paging: Paging,
  sorting: Sorting,
): Promise<Page<CustomerMeterInContext>> {
  if (reads('rank', sorting)) await followNow(db, filters.organizations);
  const conditions = conditionsOf(filters, await archivedMeters(db, filters.organizations));
  const [{ total }]: [{ total: number }] = await db.query(
    `select count(*) as total from customer_meters row where ${conditions.where}`,
    conditions.values,
  );
  let text: string;
  if (total <= FEW) text = fewBySorting(conditions, paging, sorting);
  else if (isByMeterName(sorting)) text = byMeterName(conditions, filters, paging, sorting[0].direction);
  else text = bySorting(conditions, filters, paging, sorting);
  const rows: Row[] = await db.query(text, conditions.values);
  return { items: await inContext(db.manager, copies, rows), total };
}

const boundsOf = ({ page, limit }: Paging): string => `limit ${limit} offset ${(page - 1) * limit}`;

const fewBySorting = ({ where }: Conditions, paging: Paging, sorting: Sorting): string =>
  `with found as materialized (select * from customer_meters row where ${where})
   select ${COLUMNS} from found row join meters meter on meter.id = row.meter_id ${joined(sorting)}
   order by ${orderBy(sorting)} ${boundsOf(paging)}`;

/** Each organization's rows along an index that has the order; the beginnings are merged, and their meters read. */
function bySorting(
  conditions: Conditions,
  { organizations }: CustomerMeterFilters,
  paging: Paging,
  sorting: Sorting,
): string {
  const tables = ['row', ...(['rank', 'customer'] as const).filter((table) => reads(table, sorting))];
  const own = tables.map((table) => `${table}.organization_id = scope.organization_id`);
  const keys = sorting.map(({ by }, place) => `, ${sortColumns[by]} as key_${place}`);
  const byKeys = orderBy(sorting, (_, place) => `row.key_${place}`);
  return `with merged as (
       select row.*
       from unnest(${conditions.bind(organizations)}::uuid[]) scope(organization_id)
       cross join lateral (
         select row.* ${keys.join('')} from customer_meters row ${joined(sorting)}
         ${reads('meter', sorting) ? 'join meters meter on meter.id = row.meter_id' : ''}
         where ${conditions.where} and ${own.join(' and ')}
         order by ${orderBy(sorting)} limit ${paging.page * paging.limit}
       ) row
       order by ${byKeys} ${boundsOf(paging)}
     )
     select ${COLUMNS} from merged row join meters meter on meter.id = row.meter_id
     order by ${byKeys}`;
}

/** The tables of the sort keys. Every customer meter has a rank, and a customer of its own organization. */
const joined = (sorting: Sorting): string =>
  `${reads('rank', sorting) ? 'join customer_meter_ranks rank on rank.id = row.id' : ''}
   ${reads('customer', sorting) ? 'join customers_replica customer on customer.id = row.customer_id' : ''}`;

type ByMeterName = [SortCriterion<'meter_name'>];
const isByMeterName = (sorting: Sorting): sorting is ByMeterName & Sorting =>
  sorting.length === 1 && sorting[0]!.by === 'meter_name';

/** Meters are few and their rows many: as much of each meter's rows as the page can need, in the order of an index. */
function byMeterName(
  conditions: Conditions,
  { organizations }: CustomerMeterFilters,
  paging: Paging,
  direction: 'ASC' | 'DESC',
): string {
  const { where } = conditions;
  const owned = new Conditions(conditions.values).addIn('meter.organization_id', organizations);
  return `select ${COLUMNS}
     from meters meter cross join lateral (
       select * from customer_meters row where row.meter_id = meter.id and ${where}
       order by row.customer_id ${direction} limit ${paging.page * paging.limit}
     ) row
     where ${owned.where}
     order by meter.name ${direction} ${NULLS[direction]}, meter.id ${direction}, row.customer_id ${direction}
     ${boundsOf(paging)}`;
}

/** The customer meter, if one of the organizations (and the customer, if given) has it; else 404. */
export async function readCustomerMeter(
  db: Reader,
  copies: Replica<CustomerCopy>,
  organizations: readonly string[],
  id: string,
  customerId?: string,
): Promise<CustomerMeterInContext> {
  const conditions = new Conditions()
    .add('row.id = ?', id)
    .add('row.organization_id = any(?)', organizations)
    .add('row.is_used')
    .addIf(customerId, 'row.customer_id = ?');
  const [row]: (Row & { customer: CustomerCopy | null })[] = await db.query(
    `select ${COLUMNS}, customer.value as customer
     from customer_meters row
     join meters meter on meter.id = row.meter_id
     left join customers_replica customer on customer.id = row.customer_id
     where ${conditions.where}`,
    conditions.values,
  );
  if (!row) throw notFound();
  if (row.customer) return { row, customer: row.customer, meter: meterOfJson(row.meter) };
  const [found] = await inContext(db, copies, [row]);
  if (!found) throw notFound();
  return found;
}

/** Named to the planner, which can then look each of many rows up among them. */
async function archivedMeters(db: Database, organizations: readonly string[]): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    'select id from meters where organization_id = any($1) and archived_at is not null',
    [organizations],
  );
  return rows.map(({ id }) => id);
}

function conditionsOf(filters: CustomerMeterFilters, archived: readonly string[]): Conditions {
  const conditions = new Conditions()
    .addIn('row.organization_id', filters.organizations)
    .add('row.is_used')
    .addIn('row.customer_id', filters.customer_id)
    .addIn('row.meter_id', filters.meter_id);
  if (filters.external_customer_id) {
    conditions.add(
      `row.customer_id = any(array(
        select customer_id from customer_external_ids
        where organization_id = any(?) and external_id = any(?) and is_current))`,
      filters.organizations,
      filters.external_customer_id,
    );
  }
  if (!filters.meter_id && archived.length > 0) conditions.add('row.meter_id <> all(?::uuid[])', archived);
  if (filters.query !== undefined) addNamed(conditions, filters, `%${escapeLike(filters.query)}%`);
  return conditions;
}

/** By the meter's name: a customer's meters are few to look at, an organization's are found by an index. */
function addNamed(conditions: Conditions, filters: CustomerMeterFilters, pattern: string): void {
  if (filters.customer_id) {
    conditions.add('(select name from meters where id = row.meter_id) ilike ?', pattern);
  } else {
    conditions.add(
      'row.meter_id = any(array(select id from meters where organization_id = any(?) and name ilike ?))',
      filters.organizations,
      pattern,
    );
  }
}

/** What makes an order complete; where ids are sorted by, the other id does it along the same index. */
const tieBreakers: Partial<Record<CustomerMeterSortKey, string>> = {
  meter_id: 'row.customer_id',
  customer_id: 'row.meter_id',
};

function orderBy(
  sorting: Sorting,
  columnOf = (by: CustomerMeterSortKey, _place: number): string => sortColumns[by],
): string {
  const criteria = sorting.map(({ by, direction }, place) => {
    const isNullable = by === 'modified_at' || by === 'customer_name';
    return `${columnOf(by, place)} ${direction}${isNullable ? ` ${NULLS[direction]}` : ''}`;
  });
  const [first] = sorting;
  const last = (sorting.length === 1 && first && tieBreakers[first.by]) || 'row.id';
  return [...criteria, `${last} ${first?.direction ?? 'DESC'}`].join(', ');
}

async function inContext(
  db: Reader,
  copies: Replica<CustomerCopy>,
  rows: readonly Row[],
): Promise<CustomerMeterInContext[]> {
  const customers = await copies.get(
    db,
    rows.map((row) => row.customer_id),
  );
  return rows.flatMap((row) => {
    const customer = customers.get(row.customer_id);
    return customer ? [{ row, customer, meter: meterOfJson(row.meter) }] : [];
  });
}
