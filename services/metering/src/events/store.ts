import { escapeLike, FEW, jsonForms } from '@tributary/runtime/db/list.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import type { Replica } from '@tributary/runtime/replica/replica.ts';
import { addExternalCustomers, type ExternalCustomers } from '../customers/external-customers.ts';
import { propertyPath } from '../filters/property.ts';
import { type Filter, isClause } from '../filters/schema.ts';
import { filterSql } from '../filters/sql.ts';
import { isStorable } from '../ingest/reading.ts';
import type { CustomerCopy } from '../replicas.ts';
import { Conditions } from '../sql.ts';
import type { EventLabel, EventRow } from './event.ts';
import type { EventInContext } from './present.ts';
import type { EventSource } from './schema.ts';

export interface EventFilters {
  organizations: readonly string[];
  filters: readonly Filter[];
  start_timestamp?: Date;
  end_timestamp?: Date;
  customer_id?: readonly string[];
  external?: ExternalCustomers;
  name?: readonly string[];
  source?: readonly EventSource[];
  query?: string;
  parent_id?: string;
  depth?: number;
  metadata?: MetadataFilter;
}

const COLUMNS = `event.id, event.organization_id, event.customer_id, event.member_id, event.parent_id, event.timestamp,
  event.source, event.name, event.external_customer_id, event.external_member_id, event.metadata`;

export async function listEvents(
  db: Reader,
  copies: Replica<CustomerCopy>,
  filters: EventFilters,
  paging: Paging,
  sorting: readonly SortCriterion<'timestamp'>[],
): Promise<Page<EventInContext>> {
  const conditions = conditionsOf(filters);
  const total = await countEvents(db, filters, conditions);
  const direction = sorting[0]?.direction ?? 'DESC';
  const order = `order by event.timestamp ${direction}, event.id ${direction}`;
  const source = total > FEW ? ordered(conditions, filters, order, paging) : found(conditions);
  const events: EventRow[] = await db.query(
    `${source} ${order} limit ${paging.limit} offset ${(paging.page - 1) * paging.limit}`,
    conditions.values,
  );
  return { items: await inContext(db, copies, events), total };
}

const found = ({ where }: Conditions): string =>
  `with event as materialized (select * from events event where ${where}) select ${COLUMNS} from event`;

/** An index has each organization's events in order; the beginnings of several are merged. */
function ordered(
  conditions: Conditions,
  { organizations }: EventFilters,
  order: string,
  { page, limit }: Paging,
): string {
  if (organizations.length === 1) return `select ${COLUMNS} from events event where ${conditions.where}`;
  return `select ${COLUMNS} from unnest(${conditions.bind(organizations)}::uuid[]) scope(organization_id)
    cross join lateral (
      select * from events event
      where event.organization_id = scope.organization_id and ${conditions.where} ${order} limit ${page * limit}
    ) event`;
}

/** The event, if one of the organizations has it; else 404. */
export async function readEvent(
  db: Reader,
  copies: Replica<CustomerCopy>,
  organizations: readonly string[],
  id: string,
): Promise<EventInContext> {
  const events: EventRow[] = await db.query(
    `select ${COLUMNS} from events event where event.id = $1 and event.organization_id = any($2)`,
    [id, organizations],
  );
  const [found] = await inContext(db, copies, events);
  if (!found) throw notFound();
  return found;
}

function conditionsOf(filters: EventFilters): Conditions {
  const conditions = new Conditions()
    .addIn('event.organization_id', filters.organizations)
    .addIf(filters.start_timestamp, 'event.timestamp >= ?')
    .addIf(filters.end_timestamp, 'event.timestamp <= ?')
    .addIn('event.customer_id', filters.customer_id)
    .addIn('event.name', filters.name)
    .addIn('event.source', filters.source);
  addExternalCustomers(conditions, filters.external);
  if (filters.query !== undefined) {
    const pattern = `%${escapeLike(filters.query)}%`;
    conditions.add('(event.name ilike ? or event.metadata::text ilike ?)', pattern, pattern);
  }
  for (const { key, values } of filters.metadata ?? []) {
    addContained(conditions, key, values.flatMap(jsonForms));
    conditions.add('event.metadata ->> ? = any(?)', key, values);
  }
  for (const filter of filters.filters) {
    addContainedOf(conditions, filter);
    conditions.addSql((binder) => filterSql(filter, 'event', binder));
  }
  addDepth(conditions, filters);
  return conditions;
}

/** That metadata hold one of some values under a key: what the index of a month that is over can answer. */
function addContained(conditions: Conditions, key: string, forms: readonly string[]): void {
  const contained = forms.map(
    (form) => `event.metadata @> ${conditions.bind(`{${JSON.stringify(key)}:${form}}`)}::jsonb`,
  );
  conditions.addSql(() => `(${contained.join(' or ') || 'false'})`);
}

/** What the clauses that must all hold say of single values; the filter itself says it again, more exactly. */
function addContainedOf(conditions: Conditions, { conjunction, clauses }: Filter): void {
  if (conjunction === 'or') return;
  for (const clause of clauses.filter(isClause)) {
    const path = propertyPath(clause.property);
    if (path.kind !== 'metadata' || clause.operator !== 'eq') continue;
    const { value } = clause;
    if (!isStorable(path.key) || !isStorable(String(value))) continue;
    addContained(conditions, path.key, typeof value === 'string' ? jsonForms(value) : [String(value)]);
  }
}

const MAX_DEPTH = 5;

/** Domain rules 8.3: direct children of a parent; with a depth the parent, or every root, and that many levels below. */
function addDepth(conditions: Conditions, { organizations, parent_id, depth }: EventFilters): void {
  if (depth === undefined) {
    conditions.addIf(parent_id, 'event.parent_id = ?');
  } else if (parent_id === undefined) {
    conditions.addSql(() => isWithin(Math.min(depth, MAX_DEPTH), 'event'));
  } else {
    conditions.add(
      `event.id = any(array(
         with recursive tree(id, level) as (
           select ?::uuid, 0
           union all
           select child.id, tree.level + 1
           from tree join events child on child.parent_id = tree.id and child.organization_id = any(?)
           where tree.level < ?::integer
         )
         select id from tree))`,
      parent_id,
      organizations,
      depth,
    );
  }
}

/** Whether a row has at most `depth` ancestors. */
function isWithin(depth: number, row: string): string {
  if (depth === 0) return `${row}.parent_id is null`;
  const parent = `parent_${depth}`;
  return `(${row}.parent_id is null or exists (
    select from events ${parent} where ${parent}.id = ${row}.parent_id and ${isWithin(depth - 1, parent)}))`;
}

/** Lists of all events, or of a name, are counted from the tallies, whatever their size. */
async function countEvents(db: Reader, filters: EventFilters, conditions: Conditions): Promise<number> {
  const { organizations, filters: formulas, name, source, ...others } = filters;
  const isPlain = formulas.length === 0 && Object.values(others).every((filter) => filter === undefined);
  const [counted]: [{ total: number }] = isPlain
    ? await db.query(
        `select coalesce(sum(occurrences), 0)::bigint as total from event_tallies
         where organization_id = any($1) and ($2::text[] is null or name = any($2))
           and ($3::text[] is null or source = any($3))`,
        [organizations, name ?? null, source ?? null],
      )
    : await db.query(
        `select count(*) as total from events event where ${conditions.where}`,
        conditions.values,
      );
  return counted.total;
}

/** Customers, labels and numbers of children of a page of events: three statements, whatever the page. */
async function inContext(
  db: Reader,
  copies: Replica<CustomerCopy>,
  events: readonly EventRow[],
): Promise<EventInContext[]> {
  if (events.length === 0) return [];
  const customers = await copies.get(db, unique(events.flatMap((event) => event.customer_id ?? [])));
  const types: (EventLabel & { organization_id: string; name: string })[] = await db.query(
    `select organization_id, name, label, label_property_selector from event_types
     where organization_id = any($1) and name = any($2)`,
    [unique(events.map((event) => event.organization_id)), unique(events.map((event) => event.name))],
  );
  const children: { parent_id: string; count: number }[] = await db.query(
    'select parent_id, count(*) from events where parent_id = any($1) group by parent_id',
    [events.map((event) => event.id)],
  );
  const labels = new Map(types.map((type) => [type.organization_id + type.name, type]));
  const counts = new Map(children.map((row) => [row.parent_id, row.count]));
  return events.map((event) => ({
    event,
    customer: customers.get(event.customer_id ?? '') ?? null,
    type: labels.get(event.organization_id + event.name),
    child_count: counts.get(event.id) ?? 0,
  }));
}

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)];
