import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { revoked } from './customer-seat.ts';
import { seatsChanged } from './messages.ts';
import { lockHeldSeats, type SeatsOf, updateSeats } from './store.ts';
import { seatViews } from './view-seats.flow.ts';

const BATCH = 500;
const MAX_BATCHES = 1_000;

/**
 * Takes away every seat of a purchase that ended, of a member who left, or of a customer who is gone. The caller has
 * locked what the seats belong to.
 */
export async function revokeSeats(tx: Tx, of: SeatsOf, now: Date): Promise<void> {
  for (let batch = 0; batch < MAX_BATCHES; batch += 1) {
    const seats = await lockHeldSeats(tx, of, BATCH);
    if (seats.length === 0) return;
    const changed = seats.map((seat) => ({ ...seat, ...revoked(seat, now), modified_at: now }));
    const { status, revoked_at, invitation_token_hash, invitation_token_expires_at, modified_at } =
      changed[0]!;
    await updateSeats(
      tx,
      changed.map(({ id }) => id),
      { status, revoked_at, invitation_token_hash, invitation_token_expires_at, modified_at },
    );
    await emit(tx, seatsChanged(await seatViews(tx, changed), ['customer_seat.revoked'], now));
  }
}
