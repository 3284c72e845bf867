import type { SystemEvent } from '@tributary/proto/events/system-events.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';

/** Stores a system event under its own id; one that is there already stays as it is. Returns whether it is new. */
export async function insertSystemEvent(tx: Tx, event: SystemEvent): Promise<boolean> {
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
  return inserted.length > 0;
}
