import type { Sql } from '../sql.ts';
import type { IngestedEvent } from './event-input.ts';
import { nameKey } from './name-key.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const FIND_PARENTS = `
  select wanted.organization_id, wanted.key, coalesce(by_id.id, external.event_id) as id
  from unnest($1::uuid[], $2::text[], $3::uuid[]) as wanted(organization_id, key, id)
  left join events by_id on by_id.id = wanted.id and by_id.organization_id = wanted.organization_id
  left join event_external_ids external
    on external.organization_id = wanted.organization_id and external.external_id = wanted.key
  where coalesce(by_id.id, external.event_id) is not null`;

/**
 * Gives events their parents: events stored before, by id or external id, else events of the same batch by external
 * id. Returns the children whose parent has not come yet.
 */
export async function findParents(sql: Sql, events: readonly IngestedEvent[]): Promise<IngestedEvent[]> {
  const children = events.filter((event) => event.parent_id !== null);
  if (children.length === 0) return [];
  const wanted = [
    ...new Map(children.map((event) => [nameKey(event.organization_id, event.parent_id!), event])).values(),
  ];
  const rows = await sql.query<{ organization_id: string; key: string; id: string }>(
    'find-parents',
    FIND_PARENTS,
    [
      wanted.map((event) => event.organization_id),
      wanted.map((event) => event.parent_id),
      wanted.map((event) => (UUID.test(event.parent_id!) ? event.parent_id : null)),
    ],
  );
  const stored = new Map(rows.map((row) => [nameKey(row.organization_id, row.key), row.id]));
  const beside = new Map<string, string>();
  for (const { organization_id, external_id, id } of events) {
    const key = external_id === null ? undefined : nameKey(organization_id, external_id);
    if (key !== undefined && !beside.has(key)) beside.set(key, id);
  }
  return children.filter((event) => {
    const key = nameKey(event.organization_id, event.parent_id!);
    const parent = stored.get(key) ?? beside.get(key) ?? null;
    event.parent = parent === event.id ? null : parent;
    return event.parent === null;
  });
}

const INSERT_PENDING = `
  insert into pending_parents (child_id, organization_id, parent_external_id, created_at)
  select child_id, organization_id, parent_external_id, $4
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as pending(child_id, organization_id, parent_external_id)`;

/** Remembers children that wait for a parent of that external id. */
export async function awaitParents(sql: Sql, children: readonly IngestedEvent[], now: Date): Promise<void> {
  if (children.length === 0) return;
  await sql.query('await-parents', INSERT_PENDING, [
    children.map((event) => event.id),
    children.map((event) => event.organization_id),
    children.map((event) => event.parent_id),
    now,
  ]);
}

/** The children found go to their parents and wait no longer. A child may lie in any partition. */
const LINK = (found: string) => `
  with found as materialized (${found}), linked as (
    update events child set parent_id = found.parent_id from found where child.id = found.child_id
  )
  delete from pending_parents pending using found where pending.child_id = found.child_id`;

const PARENTS_HERE = LINK(`
  select pending.child_id, external.event_id as parent_id
  from unnest($1::uuid[], $2::text[]) as arrived(organization_id, external_id)
  join pending_parents pending
    on pending.organization_id = arrived.organization_id and pending.parent_external_id = arrived.external_id
  join event_external_ids external
    on external.organization_id = arrived.organization_id and external.external_id = arrived.external_id
  where external.event_id <> pending.child_id
  order by pending.child_id for update of pending`);

/** Links children that were waiting for one of these events. */
export async function welcomeParents(sql: Sql, parents: readonly IngestedEvent[]): Promise<void> {
  const named = parents.filter((event) => event.external_id !== null);
  if (named.length === 0) return;
  await sql.query('welcome-parents', PARENTS_HERE, [
    named.map((event) => event.organization_id),
    named.map((event) => event.external_id),
  ]);
}

const LINK_RECENT = LINK(`
  select pending.child_id, external.event_id as parent_id
  from pending_parents pending
  join event_external_ids external
    on external.organization_id = pending.organization_id and external.external_id = pending.parent_external_id
  where pending.created_at > $1 and external.event_id <> pending.child_id
  order by pending.child_id limit $2 for update of pending skip locked`);

/** Parent and child that were stored at the same moment did not see each other; this links them afterwards. */
export async function linkRecent(sql: Sql, since: Date, limit: number): Promise<void> {
  await sql.query('link-recent', LINK_RECENT, [since, limit]);
}
