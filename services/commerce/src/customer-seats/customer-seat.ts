import type { Recorded } from '@tributary/runtime/db/columns.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import { machine, type StatusOf } from '@tributary/runtime/machine.ts';
import {
  InvalidInvitationToken,
  InvalidSeatAssignmentRequest,
  SeatNotAvailable,
  SeatNotPending,
} from '../problems.ts';

export const seatMachine = machine(
  'seat',
  {
    pending: { claim: 'claimed', resend: 'pending', revoke: 'revoked' },
    claimed: { revoke: 'revoked' },
    revoked: { invite: 'pending', seat: 'claimed' },
  },
  { claim: InvalidInvitationToken, resend: SeatNotPending, invite: SeatNotAvailable, seat: SeatNotAvailable },
);
export type SeatStatus = StatusOf<typeof seatMachine>;

/** A place on a subscription or order, for one member of the customer who bought it. */
export interface CustomerSeat extends Recorded {
  organization_id: string;
  product_id: string;
  subscription_id: string | null;
  order_id: string | null;
  /** The customer who bought the seats. */
  buyer_id: string;
  /** Who sits on it: a member of the buyer, or a customer of its own where the organization has no members. */
  customer_id: string | null;
  member_id: string | null;
  email: string | null;
  status: SeatStatus;
  invitation_token_hash: string | null;
  invitation_token_expires_at: Date | null;
  claimed_at: Date | null;
  revoked_at: Date | null;
  seat_metadata: Record<string, unknown> | null;
}

/** What seats are part of: it says how many there are, and whether they are still worth anything. */
export interface SeatContainer {
  id: string;
  kind: 'subscription' | 'order';
  organization_id: string;
  customer_id: string;
  product_id: string;
  /** Seats bought; null when the product is not sold by seats. */
  seats: number | null;
  isAlive: boolean;
}

/** Who a seat is for. */
export interface Occupant {
  customer_id: string;
  member_id: string | null;
  email: string | null;
}

export interface Invitation {
  hash: string;
  expires_at: Date;
}

const INVITATION_MS = 86_400_000;
export const invitationExpiry = (now: Date): Date => new Date(now.getTime() + INVITATION_MS);

/** Seats that can still be given away. */
export const availableSeats = (container: SeatContainer, taken: number): number =>
  container.isAlive ? Math.max(0, (container.seats ?? 0) - taken) : 0;

/** Refuses when every seat is taken, or when the purchase has no seats to give. */
export function requireFreeSeat(container: SeatContainer, taken: number): void {
  if (container.seats === null) throw new Problem(SeatNotAvailable, 'What was bought has no seats.');
  if (!container.isAlive) throw new Problem(SeatNotAvailable, `The ${container.kind} has ended.`);
  if (availableSeats(container, taken) < 1)
    throw new Problem(SeatNotAvailable, `All ${container.seats} seats of the ${container.kind} are taken.`);
}

/** Puts somebody on a seat, a new or a revoked one: invited, or seated at once when there is no invitation. */
export function assigned(
  seat: CustomerSeat | undefined,
  occupant: Occupant,
  seat_metadata: Record<string, unknown> | null,
  invitation: Invitation | null,
  now: Date,
): Omit<CustomerSeat, 'id' | 'created_at' | 'modified_at' | keyof ContainerColumns> {
  return {
    ...occupant,
    status: seat
      ? seatMachine.next(seat.status, invitation ? 'invite' : 'seat')
      : invitation
        ? 'pending'
        : 'claimed',
    invitation_token_hash: invitation?.hash ?? null,
    invitation_token_expires_at: invitation?.expires_at ?? null,
    claimed_at: invitation ? null : now,
    revoked_at: null,
    seat_metadata,
  };
}

/** Columns that say what a seat is part of. */
export type ContainerColumns = Pick<
  CustomerSeat,
  'organization_id' | 'product_id' | 'subscription_id' | 'order_id' | 'buyer_id'
>;

export const containerColumns = (container: SeatContainer): ContainerColumns => ({
  organization_id: container.organization_id,
  product_id: container.product_id,
  subscription_id: container.kind === 'subscription' ? container.id : null,
  order_id: container.kind === 'order' ? container.id : null,
  buyer_id: container.customer_id,
});

/** Whether the seat's invitation can be taken up at `now`. */
export const canBeClaimed = (
  seat: CustomerSeat,
  container: Pick<SeatContainer, 'isAlive'>,
  now: Date,
): boolean =>
  container.isAlive &&
  seatMachine.can(seat.status, 'claim') &&
  seat.invitation_token_expires_at !== null &&
  now < seat.invitation_token_expires_at;

/** Takes up an invitation: the token is spent. */
export function claimed(seat: CustomerSeat, now: Date): Partial<CustomerSeat> {
  return {
    status: seatMachine.next(seat.status, 'claim'),
    claimed_at: now,
    invitation_token_hash: null,
    invitation_token_expires_at: null,
  };
}

/** Replaces an invitation: the former token is good no longer. */
export function reinvited(seat: CustomerSeat, invitation: Invitation): Partial<CustomerSeat> {
  return {
    status: seatMachine.next(seat.status, 'resend'),
    invitation_token_hash: invitation.hash,
    invitation_token_expires_at: invitation.expires_at,
  };
}

/** Takes a seat away from whoever has it or is invited to it. */
export function revoked(seat: CustomerSeat, now: Date): Partial<CustomerSeat> {
  return {
    status: seatMachine.next(seat.status, 'revoke'),
    revoked_at: now,
    invitation_token_hash: null,
    invitation_token_expires_at: null,
  };
}

/** What a request names to say who a seat is for. */
export interface NamedOccupant {
  email: string | null;
  customer_id: string | null;
  external_customer_id: string | null;
  member_id: string | null;
  external_member_id: string | null;
}

/** One way of naming the occupant; an e-mail may stand beside a member, whose own it must then be. */
export function requireOneOccupant(named: NamedOccupant): void {
  const { email, customer_id, external_customer_id, member_id, external_member_id } = named;
  const ids = [customer_id, external_customer_id, member_id, external_member_id];
  const count = ids.filter((id) => id !== null).length;
  const isMember = member_id !== null || external_member_id !== null;
  if (count > 1 || (count === 0 && email === null) || (count === 1 && email !== null && !isMember)) {
    throw new Problem(
      InvalidSeatAssignmentRequest,
      'Name who the seat is for in one way: email, customer_id, external_customer_id, member_id or external_member_id.',
    );
  }
}
