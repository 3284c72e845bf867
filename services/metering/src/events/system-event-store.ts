import type { SystemEvent } from '@tributary/proto/events/system-events.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { addTallies } from '../event-types/tally-store.ts';
import { sqlOf } from '../sql.ts';

/** Stores a system event under its own id; one that is there already stays as it is. */
export async function storeSystemEvent(tx: Tx, event: SystemEvent): Promise<void> {
  const inserted: unknown[] = await tx.query(
    `insert into events (id, organization_id, customer_id, member_id, timestamp, source, name, external_customer_id,
       external_member_id, metadata)
     values ($1, $2, $3, $4, $5, 'system', $6, $7, $8, $9)
     on conflict (id) do nothing
     returning id`,
    [
      event.id,
      event.organization_id,
      event.customer_id,
      event.member_id ?? null,
      event.timestamp,
      event.name,
      event.external_customer_id,
      event.external_member_id ?? null,
      JSON.stringify(event.metadata),
    ],
  );
  if (inserted.length === 0) return;
  const seen = new Date(event.timestamp).getTime();
  const { organization_id, name } = event;
  await addTallies(sqlOf(tx), [
    { organization_id, source: 'system', name, occurrences: 1, first: seen, last: seen },
  ]);
}
