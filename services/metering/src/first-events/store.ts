import type { Tx } from '@tributary/runtime/db/transaction.ts';

/** When a customer did something for the first time. */
export interface FirstEvent {
  customer_id: string;
  organization_id: string;
  timestamp: Date;
}

/** How far the search has come; nobody else goes on with it until the transaction ends. Undefined while somebody does. */
export async function takeSearch(tx: Pick<Tx, 'query'>): Promise<string | undefined> {
  const [search]: { after_id: string }[] = await tx.query(
    'select after_id from first_event_search for update skip locked',
  );
  return search?.after_id;
}

export const leaveSearch = (tx: Pick<Tx, 'query'>, afterId: string): Promise<unknown> =>
  tx.query('update first_event_search set after_id = $1', [afterId]);

/** When the oldest transaction of this database began that is still open, this one apart. */
export async function oldestTransaction(tx: Pick<Tx, 'query'>): Promise<Date | null> {
  const [oldest]: { began_at: Date | null }[] = await tx.query(
    `select min(xact_start) as began_at from pg_stat_activity
     where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()`,
  );
  return oldest!.began_at;
}

/** Each customer's earliest among the next `limit` events, and where those end; undefined when there are none. */
export async function earliestAmong(
  tx: Pick<Tx, 'query'>,
  ids: { after: string; before: string },
  limit: number,
): Promise<{ last_id: string; count: number; earliest: string } | undefined> {
  const [found]: { last_id: string | null; count: number; earliest: string }[] = await tx.query(
    `with span as materialized (
       select id, organization_id, customer_id, timestamp, source from events
       where id > $1 and id < $2 order by id limit $3)
     select (select id from span order by id desc limit 1) as last_id, (select count(*) from span) as count,
       (select coalesce(jsonb_agg(first), '[]')::text from (
          select customer_id, organization_id, min(timestamp) as timestamp from span
          where source = 'user' and customer_id is not null group by customer_id, organization_id) first) as earliest`,
    [ids.after, ids.before, limit],
  );
  return found?.last_id ? { ...found, last_id: found.last_id } : undefined;
}

/** Notes customers' first events where none, or only a later one, was known; returns those. @param events as JSON */
export const noteFirstEvents = (tx: Pick<Tx, 'query'>, events: string): Promise<FirstEvent[]> =>
  tx.query(
    `insert into first_user_events as known (customer_id, organization_id, timestamp)
     select event.customer_id, event.organization_id, event.timestamp
     from jsonb_to_recordset($1::jsonb) as event(customer_id uuid, organization_id uuid, timestamp timestamptz)
     left join first_user_events before on before.customer_id = event.customer_id
     where before.timestamp is null or event.timestamp < before.timestamp
     order by event.customer_id
     on conflict (customer_id) do update set timestamp = excluded.timestamp
       where excluded.timestamp < known.timestamp
     returning customer_id, organization_id, timestamp`,
    [events],
  );

/** When something was first done under an external id that nobody had yet. */
export async function firstUnder(
  tx: Pick<Tx, 'query'>,
  organizationId: string,
  externalId: string,
): Promise<Date | undefined> {
  const [event]: { timestamp: Date }[] = await tx.query(
    `select timestamp from events
     where organization_id = $1 and external_customer_id = $2 and customer_id is null and source = 'user'
     order by timestamp limit 1`,
    [organizationId, externalId],
  );
  return event?.timestamp;
}
