import type { App } from '../app.ts';
import { readContainer } from './assign-seat.flow.ts';
import { availableSeats } from './customer-seat.ts';
import { presentSeat } from './present.ts';
import { readSeller } from './read-seller.flow.ts';
import { type ContainerReference, countTaken, type SeatScope, seatsOf } from './store.ts';
import { seatViews } from './view-seats.flow.ts';

/** Every seat of a purchase with the number of those that are free. */
export async function listSeats(app: App, scope: SeatScope, reference: ContainerReference) {
  const container = await readContainer(app, scope, reference);
  await readSeller(app, container);
  const reader = app.db.manager;
  const seats = await seatViews(reader, await seatsOf(reader, container));
  return {
    seats: seats.map(presentSeat),
    available_seats: availableSeats(container, await countTaken(reader, container)),
    total_seats: container.seats ?? 0,
  };
}
