import { stateChanged } from '@tributary/proto/events/message.ts';
import { firstIdOf } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import {
  earliestAmong,
  type FirstEvent,
  firstUnder,
  leaveSearch,
  noteFirstEvents,
  oldestTransaction,
  takeSearch,
} from './store.ts';

/** How far the clocks that ids are made by may be apart. */
const MAX_SKEW_MS = 15_000;

/**
 * Looks through the events stored since the last look, at most `limit`, for customers who had not done anything before.
 * Returns whether more wait.
 */
export async function noteFirsts(tx: Tx, limit: number, now: Date): Promise<boolean> {
  const after = await takeSearch(tx);
  if (after === undefined) return false;
  // What got its id in a transaction that is still open is not to be seen yet: nothing as young is looked at.
  const settled = Math.min(
    now.getTime(),
    (await oldestTransaction(tx))?.getTime() ?? Number.POSITIVE_INFINITY,
  );
  const found = await earliestAmong(tx, { after, before: firstIdOf(settled - MAX_SKEW_MS) }, limit);
  if (!found) return false;
  await tell(tx, await noteFirstEvents(tx, found.earliest));
  await leaveSearch(tx, found.last_id);
  return found.count === limit;
}

/** Events that came before their customer are that customer's from now on. */
export async function noteFirstUnder(
  tx: Tx,
  customer: { id: string; organization_id: string },
  externalId: string,
): Promise<void> {
  const timestamp = await firstUnder(tx, customer.organization_id, externalId);
  if (!timestamp) return;
  const first = { customer_id: customer.id, organization_id: customer.organization_id, timestamp };
  await tell(tx, await noteFirstEvents(tx, JSON.stringify([first])));
}

const tell = (tx: Tx, noted: readonly FirstEvent[]): Promise<void> =>
  emit(
    tx,
    noted.map(({ customer_id, organization_id, timestamp }) =>
      stateChanged('first_user_events', customer_id, {
        id: customer_id,
        organization_id,
        first_user_event_at: timestamp.toISOString(),
      }),
    ),
  );
