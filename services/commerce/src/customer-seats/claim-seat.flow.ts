import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { stateChangedSoon } from '../customers/state-changes.ts';
import { InvalidInvitationToken } from '../problems.ts';
import type { Writing } from './assign-seat.flow.ts';
import { type CustomerSeat, canBeClaimed, claimed } from './customer-seat.ts';
import { invitationHash } from './invitation.ts';
import { seatsChanged } from './messages.ts';
import { presentSeat } from './present.ts';
import { readSeller } from './read-seller.flow.ts';
import { findContainer, findSeatByToken, lockContainerOf, lockSeat, updateSeats } from './store.ts';
import { seatViews } from './view-seats.flow.ts';

/** What an invitation is for, for whoever holds its token. */
export async function readInvitation(app: App, token: string, now: Date) {
  const reader = app.db.manager;
  const seat = await findInvited(reader, token, app.secret);
  if (!seat) throw notFound('Invitation not found');
  const { organization, product } = await readSeller(app, seat);
  const [view] = await seatViews(reader, [seat]);
  return {
    product_name: product.name,
    product_id: product.id,
    organization_name: organization.name,
    organization_slug: organization.slug,
    customer_email: seat.email ?? view!.customer_email ?? '',
    can_claim: canBeClaimed(seat, await containerOf(reader, seat), now),
  };
}

/**
 * Takes up an invitation and signs its holder in. The session is made first: should that fail, the token is still
 * good, while a session whose claim fails is never handed out.
 */
export async function claimSeat(app: App, call: Writing, token: string) {
  const reader = app.db.manager;
  const seen = await findInvited(reader, token, app.secret);
  if (!seen || !canBeClaimed(seen, await containerOf(reader, seen), call.now)) throw refused();
  await readSeller(app, seen);
  const [view] = await seatViews(reader, [seen]);
  if (seen.member_id !== null && !view!.member) throw refused();
  const session = await app.sessions.createSession({
    organization_id: seen.organization_id,
    customer_id: seen.customer_id ?? seen.buyer_id,
    member_id: view!.member?.id,
    member_role: view!.member?.role,
    return_url: undefined,
  });
  return call.transaction(async (tx) => ({
    seat: await takeUp(tx, seen, call.now),
    customer_session_token: session.token,
  }));
}

async function takeUp(tx: Tx, seen: CustomerSeat, now: Date) {
  const container = await lockContainerOf(tx, seen);
  const seat = await lockSeat(tx, seen.id);
  const isSameInvitation = seat.invitation_token_hash === seen.invitation_token_hash;
  if (!isSameInvitation || !canBeClaimed(seat, container, now)) throw refused();
  const change = { ...claimed(seat, now), modified_at: now };
  await updateSeats(tx, [seat.id], change);
  const views = await seatViews(tx, [{ ...seat, ...change }]);
  await emit(tx, seatsChanged(views, ['customer_seat.claimed'], now));
  await stateChangedSoon(tx, { id: seat.buyer_id }, now);
  return presentSeat(views[0]!);
}

async function findInvited(reader: Reader, token: string, secret: string): Promise<CustomerSeat | null> {
  const hash = invitationHash(token, secret);
  return hash === undefined ? null : findSeatByToken(reader, hash);
}

async function containerOf(reader: Reader, { subscription_id, order_id }: CustomerSeat) {
  const reference = subscription_id ? { subscription_id } : { order_id: order_id ?? '' };
  return (await findContainer(reader, reference)) ?? { isAlive: false };
}

const refused = () =>
  new Problem(InvalidInvitationToken, 'The invitation is unknown, used, withdrawn or expired.');
