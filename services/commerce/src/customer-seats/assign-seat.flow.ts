import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { lockCustomer } from '../customers/store.ts';
import { hasMembers } from '../organizations/organization.ts';
import { SeatAlreadyAssigned } from '../problems.ts';
import {
  assigned,
  type CustomerSeat,
  containerColumns,
  type Invitation,
  type NamedOccupant,
  type Occupant,
  requireFreeSeat,
  type SeatContainer,
} from './customer-seat.ts';
import { invitationMail, newInvitation } from './invitation.ts';
import { seatsChanged } from './messages.ts';
import { presentSeat } from './present.ts';
import { readSeller } from './read-seller.flow.ts';
import { resolveOccupant } from './resolve-occupant.flow.ts';
import {
  type ContainerReference,
  countTaken,
  findContainer,
  findRevokedSeat,
  findSeatOf,
  insertSeat,
  isContainerWithin,
  type SeatScope,
  updateSeats,
} from './store.ts';
import { seatViews } from './view-seats.flow.ts';

export interface SeatOrder extends NamedOccupant {
  container: ContainerReference;
  metadata: Record<string, unknown> | null;
  immediate_claim: boolean;
}

/** The part of a request that writing a seat needs. */
export interface Writing {
  now: Date;
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
}

/** What was bought, if the caller may manage its seats; else a 404. */
export async function readContainer(
  app: App,
  scope: SeatScope,
  reference: ContainerReference,
): Promise<SeatContainer> {
  const container = await findContainer(app.db.manager, reference);
  if (!container || !isContainerWithin(container, scope)) throw notFound('Subscription or order not found');
  return container;
}

/** Gives a seat to somebody: at once, or by an invitation that they take up within a day. */
export async function assignSeat(app: App, call: Writing, scope: SeatScope, order: SeatOrder) {
  const container = await readContainer(app, scope, order.container);
  const seller = await readSeller(app, container);
  const invitation = order.immediate_claim ? null : newInvitation(app.secret, call.now);
  return call.transaction(async (tx) => {
    const buyer = await lockCustomer(tx, container.customer_id);
    const locked = await lockContainer(tx, container);
    requireFreeSeat(locked, await countTaken(tx, locked));
    const occupant = await resolveOccupant(tx, buyer, order, hasMembers(seller.organization), call.now);
    const seat = await giveSeat(tx, locked, occupant, order.metadata, invitation, call.now);
    if (invitation)
      await emit(tx, invitationMail(seat, invitation, { ...seller, buyer, publicUrl: app.publicUrl }));
    return presentSeat((await seatViews(tx, [seat]))[0]!);
  });
}

/**
 * Seats somebody at once in a transaction that has just sold the seats, such as a buyer who wants one of them. Nothing
 * happens when no seat is left or they have one.
 */
export async function takeSeat(
  tx: Tx,
  reference: ContainerReference,
  occupant: Occupant,
  now: Date,
): Promise<CustomerSeat | undefined> {
  const container = await findContainer(tx, reference, true);
  if (!container || (container.seats ?? 0) <= (await countTaken(tx, container))) return undefined;
  if (await findSeatOf(tx, container, occupant)) return undefined;
  return giveSeat(tx, container, occupant, null, null, now);
}

async function lockContainer(tx: Tx, { kind, id }: SeatContainer): Promise<SeatContainer> {
  const reference = kind === 'order' ? { order_id: id } : { subscription_id: id };
  const locked = await findContainer(tx, reference, true);
  if (!locked) throw notFound('Subscription or order not found');
  return locked;
}

async function giveSeat(
  tx: Tx,
  container: SeatContainer,
  occupant: Occupant,
  metadata: Record<string, unknown> | null,
  invitation: Invitation | null,
  now: Date,
): Promise<CustomerSeat> {
  if (await findSeatOf(tx, container, occupant))
    throw new Problem(SeatAlreadyAssigned, `${occupant.email ?? 'This customer'} already has a seat.`);
  const former = (await findRevokedSeat(tx, container)) ?? undefined;
  const columns = assigned(former, occupant, metadata, invitation, now);
  const seat: CustomerSeat = former
    ? { ...former, ...columns, modified_at: now }
    : { id: newId(), created_at: now, modified_at: null, ...containerColumns(container), ...columns };
  if (former) await updateSeats(tx, [seat.id], { ...columns, modified_at: now });
  else await insertSeat(tx, seat);
  await emit(tx, await seatGiven(tx, seat, now));
  await stateChangedSoon(tx, { id: container.customer_id }, now);
  return seat;
}

async function seatGiven(tx: Tx, seat: CustomerSeat, now: Date): Promise<OutgoingMessage[]> {
  const types = ['customer_seat.assigned', 'customer_seat.claimed'] as const;
  return seatsChanged(await seatViews(tx, [seat]), types.slice(0, seat.status === 'claimed' ? 2 : 1), now);
}
