import { stateTopics } from '@tributary/proto/events/topics.ts';
import type { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import type { Reader, Tx } from '../db/transaction.ts';
import type { Client } from '../grpc/definition.ts';
import type { Consumer } from '../messaging/consumer.ts';

/** SQL of a replica's table; add indexes on expressions over `value` for what lists filter and sort by. */
export const replicaTable = (name: string): string => `
  create table ${name} (
    id uuid primary key,
    organization_id uuid,
    value jsonb,
    updated_at timestamptz not null default now()
  );
  create index ${name}_organization_id on ${name} (organization_id);
`;

export type ResourcesClient = Client<typeof ResourcesService>;

/** A read-only copy of another service's resource: fed by its state topic, filled on a miss by asking the owner. */
export interface Replica<T> {
  /** Table of the copies, for joins in lists. A deleted resource keeps a row whose `value` is null. */
  table: string;
  /** The copies by id; asks the owner once for all that are missing. Unknown and deleted ids are absent. */
  get(reader: Pick<Reader, 'query'>, ids: readonly string[]): Promise<Map<string, T>>;
  /** The consumer that keeps the copies; list it among the service's consumers. */
  consumer: Consumer<unknown>;
}

const BATCH = 100;

/**
 * Defines a replica.
 * @param service the service that keeps the copy, part of the consumer's name
 * @param resource name of the state topic's resource
 * @param owner gRPC client of the resource's owner
 */
export function replica<T>(
  service: string,
  resource: keyof typeof stateTopics,
  owner: ResourcesClient,
): Replica<T> {
  const table = `${resource}_replica`;
  return {
    table,
    consumer: {
      name: `${service}.replicate-${resource}`,
      topic: stateTopics[resource].name,
      handle: (message, tx) => keep(tx, table, message.key, message.value),
    },
    async get(reader, ids) {
      const unique = [...new Set(ids)];
      const known = await readCopies<T>(reader, table, unique);
      const missing = unique.filter((id) => !known.has(id));
      for (let start = 0; start < missing.length; start += BATCH) {
        const { resources } = await owner.getResources({
          resource,
          ids: missing.slice(start, start + BATCH),
        });
        await insertCopies(reader, table, resources);
        for (const { id, value } of resources) known.set(id, value as T);
      }
      return new Map([...known].filter((entry): entry is [string, T] => entry[1] !== null));
    },
  };
}

async function readCopies<T>(
  reader: Pick<Reader, 'query'>,
  table: string,
  ids: readonly string[],
): Promise<Map<string, T | null>> {
  if (ids.length === 0) return new Map();
  const rows: { id: string; value: T | null }[] = await reader.query(
    `select id, value from ${table} where id = any($1)`,
    [ids],
  );
  return new Map(rows.map((row) => [row.id, row.value]));
}

/** The state topic is in order per key, so the last message wins. */
async function keep(tx: Tx, table: string, id: string, value: unknown): Promise<void> {
  await tx.query(
    `insert into ${table} (id, organization_id, value) values ($1, ($2::jsonb ->> 'organization_id')::uuid, $2)
     on conflict (id) do update
       set value = excluded.value, organization_id = coalesce(excluded.organization_id, ${table}.organization_id), updated_at = now()`,
    [id, value === null ? null : JSON.stringify(value)],
  );
}

/** A copy that the topic brought meanwhile, or the row of a deleted resource, is the newer one and stays. */
async function insertCopies(
  reader: Pick<Reader, 'query'>,
  table: string,
  copies: { id: string; value?: unknown }[],
): Promise<void> {
  if (copies.length === 0) return;
  await reader.query(
    `insert into ${table} (id, organization_id, value)
     select id, (value ->> 'organization_id')::uuid, value from jsonb_to_recordset($1::jsonb) as copy(id uuid, value jsonb)
     on conflict (id) do nothing`,
    [JSON.stringify(copies)],
  );
}
