import { escapeLike } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { addExternalCustomers, type ExternalCustomers } from '../customers/external-customers.ts';
import type { EventSource } from '../events/schema.ts';
import { Conditions } from '../sql.ts';
import type { EventType, SeenName } from './event-type.ts';

export interface NameFilters {
  organizations: readonly string[];
  customer_id?: readonly string[];
  external?: ExternalCustomers;
  source?: readonly EventSource[];
  query?: string;
  root_events?: boolean;
  parent_id?: string;
}

const sortColumns = {
  name: 'seen.name',
  /** System events are sorted among the others by the title that stands for their name. */
  label: `coalesce(type.label, initcap(translate(seen.name, '._', '  ')))`,
  occurrences: 'seen.occurrences',
  first_seen: 'seen.first_seen',
  last_seen: 'seen.last_seen',
} as const;
export type NameSortKey = keyof typeof sortColumns;
export const typeSortKeys = Object.keys(sortColumns) as NameSortKey[];
export const nameSortKeys = typeSortKeys.filter((key) => key !== 'label');

type Row = Omit<SeenName, 'type'> & {
  type_id: string | null;
  type_label: string;
  label_property_selector: string | null;
  created_at: Date;
  modified_at: Date | null;
};

/** Names with what was seen of them, one page, in two statements. */
export async function listNames(
  db: Reader,
  filters: NameFilters,
  paging: Paging,
  sorting: readonly SortCriterion<NameSortKey>[],
): Promise<Page<SeenName>> {
  const conditions = new Conditions();
  const seen = seenSql(filters, conditions);
  const [{ total }]: [{ total: number }] = await db.query(
    `select count(*) as total from (${seen}) seen`,
    conditions.values,
  );
  const direction = sorting[0]?.direction ?? 'ASC';
  const order = [
    ...sorting.map(({ by, direction: own }) => `${sortColumns[by]} ${own}`),
    ...['seen.name', 'seen.source', 'seen.organization_id'].map((column) => `${column} ${direction}`),
  ];
  const rows: Row[] = await db.query(
    `select seen.*, type.id as type_id, type.label as type_label, type.label_property_selector, type.created_at,
       type.modified_at
     from (${seen}) seen
     left join event_types type
       on seen.source = 'user' and type.organization_id = seen.organization_id and type.name = seen.name
     order by ${order.join(', ')}
     limit ${paging.limit} offset ${(paging.page - 1) * paging.limit}`,
    conditions.values,
  );
  return { items: rows.map(seenName), total };
}

/** From the tallies when they can tell; else from the events of the customers, or of the place in the tree. */
function seenSql(filters: NameFilters, conditions: Conditions): string {
  const { customer_id, external, root_events, parent_id } = filters;
  const isTold = !customer_id && !external && !root_events && parent_id === undefined;
  const row = isTold ? 'tally' : 'event';
  conditions.addIn(`${row}.organization_id`, filters.organizations).addIn(`${row}.source`, filters.source);
  if (filters.query !== undefined) addSearch(conditions, row, filters);
  if (isTold) {
    return `select organization_id, source, name, sum(occurrences)::bigint as occurrences,
        min(first_seen) as first_seen, max(last_seen) as last_seen
      from event_tallies tally where ${conditions.where} group by organization_id, source, name`;
  }
  conditions.addIn('event.customer_id', customer_id).addIf(parent_id, 'event.parent_id = ?');
  addExternalCustomers(conditions, external);
  if (root_events) conditions.add('event.parent_id is null');
  return `select organization_id, source, name, count(*) as occurrences, min(timestamp) as first_seen,
      max(timestamp) as last_seen
    from events event where ${conditions.where} group by organization_id, source, name`;
}

function addSearch(conditions: Conditions, row: string, { organizations, query }: NameFilters): void {
  const pattern = `%${escapeLike(query!)}%`;
  conditions.add(
    `(${row}.name ilike ? or ${row}.name = any(array(
      select name from event_types where organization_id = any(?) and label ilike ?)))`,
    pattern,
    organizations,
    pattern,
  );
}

function seenName({
  type_id,
  type_label,
  label_property_selector,
  created_at,
  modified_at,
  ...seen
}: Row): SeenName {
  const { organization_id, name } = seen;
  const type =
    type_id === null
      ? null
      : {
          id: type_id,
          organization_id,
          name,
          label: type_label,
          label_property_selector,
          created_at,
          modified_at,
        };
  return { ...seen, type };
}

/** Renames an event type; 404 unless one of the organizations has it. */
export async function updateEventType(
  tx: Tx,
  organizations: readonly string[],
  id: string,
  sent: { label: string; label_property_selector?: string | null },
  now: Date,
): Promise<EventType> {
  const [rows]: [EventType[]] = await tx.query(
    `update event_types
     set label = $3, modified_at = $5,
         label_property_selector = case when $6 then $4 else label_property_selector end
     where id = $1 and organization_id = any($2)
     returning *`,
    [
      id,
      organizations,
      sent.label,
      sent.label_property_selector ?? null,
      now,
      sent.label_property_selector !== undefined,
    ],
  );
  const [type] = rows;
  if (!type) throw notFound();
  return type;
}

/** The organization that has the event type; undefined when none of these has it. */
export async function organizationOfType(
  db: Reader,
  organizations: readonly string[],
  id: string,
): Promise<string | undefined> {
  const [row]: { organization_id: string }[] = await db.query(
    'select organization_id from event_types where id = $1 and organization_id = any($2)',
    [id, organizations],
  );
  return row?.organization_id;
}
