import { newId } from '@tributary/proto/id.ts';
import type { Sql } from '../sql.ts';
import { addTalliesSql, anyShard, type Tally, tallyRows } from './tallies.ts';

const ADD_TALLIES = addTalliesSql('$1', '$2');

export async function addTallies(sql: Sql, tallies: readonly Tally[]): Promise<void> {
  if (tallies.length > 0) await sql.query('add-tallies', ADD_TALLIES, [tallyRows(tallies), anyShard()]);
}

const INSERT_EVENT_TYPES = `
  insert into event_types (id, organization_id, name, label, created_at)
  select id, organization_id, name, name, $4
  from unnest($1::uuid[], $2::uuid[], $3::text[]) as new(id, organization_id, name)
  order by organization_id, name
  on conflict (organization_id, name) do nothing`;

/** The first sight of a name makes an event type (domain rules 8.1). */
export async function insertEventTypes(
  sql: Sql,
  names: readonly { organization_id: string; name: string }[],
  now: Date,
): Promise<void> {
  if (names.length === 0) return;
  await sql.query('insert-event-types', INSERT_EVENT_TYPES, [
    names.map(() => newId()),
    names.map((type) => type.organization_id),
    names.map((type) => type.name),
    now,
  ]);
}
