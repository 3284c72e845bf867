import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { lockCustomer } from '../customers/store.ts';
import type { Writing } from './assign-seat.flow.ts';
import { type CustomerSeat, reinvited, revoked } from './customer-seat.ts';
import { invitationMail, newInvitation } from './invitation.ts';
import { seatsChanged } from './messages.ts';
import { presentSeat } from './present.ts';
import { readSeller } from './read-seller.flow.ts';
import { findSeat, lockContainerOf, lockSeat, type SeatScope, updateSeats } from './store.ts';
import { seatViews } from './view-seats.flow.ts';

async function readSeat(app: App, scope: SeatScope, id: string): Promise<CustomerSeat> {
  const seat = await findSeat(app.db.manager, scope, id);
  if (!seat) throw notFound('Seat not found');
  return seat;
}

/** Locks what the seat belongs to and then the seat, in the order every change of seats keeps to. */
async function lock(tx: Tx, seen: CustomerSeat): Promise<CustomerSeat> {
  await lockContainerOf(tx, seen);
  return lockSeat(tx, seen.id);
}

/** Takes a seat away. A seat that is free already stays as it is. */
export async function revokeSeat(app: App, call: Writing, scope: SeatScope, id: string) {
  const seen = await readSeat(app, scope, id);
  return call.transaction(async (tx) => {
    const seat = await lock(tx, seen);
    if (seat.status === 'revoked') return presentSeat((await seatViews(tx, [seat]))[0]!);
    const change = { ...revoked(seat, call.now), modified_at: call.now };
    await updateSeats(tx, [id], change);
    const views = await seatViews(tx, [{ ...seat, ...change }]);
    await emit(tx, seatsChanged(views, ['customer_seat.revoked'], call.now));
    await stateChangedSoon(tx, { id: seat.buyer_id }, call.now);
    return presentSeat(views[0]!);
  });
}

/** Sends a new invitation; the former one is good no longer. */
export async function resendInvitation(app: App, call: Writing, scope: SeatScope, id: string) {
  const seen = await readSeat(app, scope, id);
  const seller = await readSeller(app, seen);
  const invitation = newInvitation(app.secret, call.now);
  return call.transaction(async (tx) => {
    const buyer = await lockCustomer(tx, seen.buyer_id);
    const seat = await lock(tx, seen);
    const change = { ...reinvited(seat, invitation), modified_at: call.now };
    await updateSeats(tx, [id], change);
    const views = await seatViews(tx, [{ ...seat, ...change }]);
    await emit(tx, [
      ...seatsChanged(views, [], call.now),
      ...invitationMail(seat, invitation, { ...seller, buyer, publicUrl: app.publicUrl }),
    ]);
    return presentSeat(views[0]!);
  });
}
