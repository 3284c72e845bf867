import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { seatsChanged } from './messages.ts';
import { type SeatsOf, seatsAfter } from './store.ts';
import { seatViews } from './view-seats.flow.ts';

const BATCH = 500;

/** Tells the state of seats again, also of those taken away: copies of them must not go on naming the person. */
export async function retellSeats(tx: Tx, of: SeatsOf, now: Date): Promise<void> {
  let afterId: string | undefined;
  do {
    const found = await seatsAfter(tx, of, afterId, BATCH);
    await emit(tx, seatsChanged(await seatViews(tx, found), [], now));
    afterId = found.length === BATCH ? found.at(-1)!.id : undefined;
  } while (afterId);
}
