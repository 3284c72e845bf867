import pg from 'pg';
import { type EventSource, makeEvents, toRow } from './events.ts';

/** What the database takes when nobody stands before it, on the very tables and indexes that ingest writes to. */

export interface Written {
  events: number;
  seconds: number;
  /** Microseconds of PostgreSQL's processor time per event, where it is known. */
  cpuPerEvent?: number;
}

const COPY_CONNECTIONS = 4;
const COPY_BATCH = 1_000;
const INSERT_CONNECTIONS = 16;

/** Raw COPY: batches of 1,000 ready rows on four connections. Events and their external ids, as ingest writes both. */
export function copyBaseline(
  databaseUrl: string,
  organization: string,
  source: EventSource,
  seconds: number,
): Promise<Written> {
  const ready = Array.from({ length: Math.ceil(seconds * 120) }, () => copyTexts(organization, source));
  return write(databaseUrl, COPY_CONNECTIONS, seconds, async (client) => {
    const texts = ready.pop();
    if (!texts) return 0;
    await copyIn(
      client,
      'copy events (id, organization_id, customer_id, timestamp, source, name, metadata) from stdin',
      texts.events,
    );
    if (texts.ids) await copyIn(client, 'copy event_external_ids from stdin', texts.ids);
    return COPY_BATCH;
  });
}

function copyTexts(organization: string, source: EventSource) {
  const rows = makeEvents(COPY_BATCH, source).map(toRow);
  const line = (...values: string[]) =>
    `${values.map((value) => value.replaceAll('\\', '\\\\')).join('\t')}\n`;
  const events = rows.map((row) =>
    line(
      row.id,
      organization,
      row.customer_id,
      row.timestamp,
      'user',
      row.name,
      JSON.stringify(row.metadata),
    ),
  );
  const ids = rows.map((row) => line(organization, row.external_id ?? '', row.id));
  return { events: events.join(''), ids: source.hasExternalIds ? ids.join('') : undefined };
}

const INSERT = `
  with claimed as (
    insert into event_external_ids (organization_id, external_id, event_id)
    select $2::uuid, $7::text, $1::uuid where $7::text is not null
  )
  insert into events (id, organization_id, customer_id, timestamp, source, name, metadata)
  values ($1, $2, $3, $4, 'user', $5, $6)`;

/** One INSERT per event, each its own transaction, prepared, on sixteen connections. */
export function insertBaseline(
  databaseUrl: string,
  organization: string,
  source: EventSource,
  seconds: number,
): Promise<Written> {
  const ready = makeEvents(Math.ceil(seconds * 12_000), source).map(toRow);
  return write(databaseUrl, INSERT_CONNECTIONS, seconds, async (client) => {
    const row = ready.pop();
    if (!row) return 0;
    const { id, customer_id, timestamp, name, metadata, external_id } = row;
    const values = [
      id,
      organization,
      customer_id,
      timestamp,
      name,
      JSON.stringify(metadata),
      external_id ?? null,
    ];
    await client.query({ name: 'insert-event', text: INSERT, values });
    return 1;
  });
}

async function write(
  databaseUrl: string,
  connections: number,
  seconds: number,
  step: (client: pg.Client) => Promise<number>,
): Promise<Written> {
  const clients = Array.from({ length: connections }, () => new pg.Client({ connectionString: databaseUrl }));
  await Promise.all(clients.map((client) => client.connect()));
  let events = 0;
  const start = performance.now();
  const end = start + seconds * 1000;
  await Promise.all(
    clients.map(async (client) => {
      for (let count = 1; count > 0 && performance.now() < end; ) {
        count = await step(client);
        events += count;
      }
    }),
  );
  const taken = (performance.now() - start) / 1000;
  await Promise.all(clients.map((client) => client.end()));
  return { events, seconds: taken };
}

/** The part of pg's connection that COPY needs. */
interface CopyConnection {
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

/** COPY FROM STDIN with all the data at hand. */
function copyIn(client: pg.Client, text: string, data: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const ignore = () => undefined;
    client.query({
      submit: (connection: CopyConnection) => connection.query(text),
      handleCopyInResponse(connection: CopyConnection) {
        connection.sendCopyFromChunk(Buffer.from(data));
        connection.endCopyFrom();
      },
      handleError: reject,
      handleReadyForQuery: () => resolve(),
      handleCommandComplete: ignore,
      handleEmptyQuery: ignore,
      handleRowDescription: ignore,
      handleDataRow: ignore,
      handlePortalSuspended: ignore,
      handleCopyData: ignore,
    } as never);
  });
}
