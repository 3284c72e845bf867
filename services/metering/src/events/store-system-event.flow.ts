import type { SystemEvent } from '@tributary/proto/events/system-events.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { addTallies } from '../event-types/tally-store.ts';
import { sqlOf } from '../sql.ts';
import { insertSystemEvent } from './system-event-store.ts';

/** Stores a system event and counts its name, once however often the event comes. */
export async function storeSystemEvent(tx: Tx, event: SystemEvent): Promise<void> {
  if (!(await insertSystemEvent(tx, event))) return;
  const seen = new Date(event.timestamp).getTime();
  const { organization_id, name } = event;
  await addTallies(sqlOf(tx), [
    { organization_id, source: 'system', name, occurrences: 1, first: seen, last: seen },
  ]);
}
