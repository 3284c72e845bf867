import type { Problem } from '@tributary/runtime/http/problem.ts';
import { testMachine } from '@tributary/runtime/testing/machine-table.ts';
import fc from 'fast-check';
import {
  assigned,
  availableSeats,
  type CustomerSeat,
  canBeClaimed,
  claimed,
  invitationExpiry,
  type NamedOccupant,
  reinvited,
  requireFreeSeat,
  requireOneOccupant,
  revoked,
  type SeatContainer,
  seatMachine,
} from './customer-seat.ts';

const now = new Date('2026-03-01T12:00:00Z');
const container: SeatContainer = {
  id: 'a',
  kind: 'subscription',
  organization_id: 'o',
  customer_id: 'c',
  product_id: 'p',
  seats: 3,
  isAlive: true,
};
const invitation = { hash: 'hash', expires_at: invitationExpiry(now) };
const pending: CustomerSeat = {
  id: 's',
  created_at: now,
  modified_at: null,
  organization_id: 'o',
  product_id: 'p',
  subscription_id: 'a',
  order_id: null,
  buyer_id: 'c',
  customer_id: 'c',
  member_id: 'm',
  email: 'ada@example.com',
  status: 'pending',
  invitation_token_hash: 'hash',
  invitation_token_expires_at: invitation.expires_at,
  claimed_at: null,
  revoked_at: null,
  seat_metadata: null,
};
const problemOf = (work: () => unknown): string | undefined => {
  try {
    work();
    return undefined;
  } catch (error) {
    return (error as Problem).type.name;
  }
};

testMachine(
  seatMachine,
  [
    'pending claim -> claimed',
    'pending resend -> pending',
    'pending revoke -> revoked',
    'claimed revoke -> revoked',
    'revoked invite -> pending',
    'revoked seat -> claimed',
  ],
  (_status, action) => (action === 'revoke' ? 409 : 400),
);

describe('free seats', () => {
  test('are those bought less those taken, never below none', () => {
    fc.assert(
      fc.property(fc.nat(100), fc.nat(200), (seats, taken) => {
        const free = availableSeats({ ...container, seats }, taken);
        expect(free).toBe(Math.max(0, seats - taken));
        expect(problemOf(() => requireFreeSeat({ ...container, seats }, taken))).toBe(
          free > 0 ? undefined : 'SeatNotAvailable',
        );
      }),
    );
  });

  test('there are none on what has ended or is not sold by seats', () => {
    expect(availableSeats({ ...container, isAlive: false }, 0)).toBe(0);
    expect(problemOf(() => requireFreeSeat({ ...container, isAlive: false }, 0))).toBe('SeatNotAvailable');
    expect(problemOf(() => requireFreeSeat({ ...container, seats: null }, 0))).toBe('SeatNotAvailable');
  });
});

describe('a seat', () => {
  const ada = { customer_id: 'c', member_id: 'm', email: 'ada@example.com' };

  test('waits for its invitation to be taken up', () => {
    const seat = assigned(undefined, ada, { team: 'red' }, invitation, now);
    expect(seat).toMatchObject({
      ...ada,
      status: 'pending',
      claimed_at: null,
      seat_metadata: { team: 'red' },
    });
    expect(seat.invitation_token_expires_at).toEqual(new Date('2026-03-02T12:00:00Z'));
  });

  test('without an invitation is claimed at once', () => {
    expect(assigned(undefined, ada, null, null, now)).toMatchObject({
      status: 'claimed',
      claimed_at: now,
      invitation_token_hash: null,
    });
  });

  test('that was revoked is given to somebody else', () => {
    const gone = { ...pending, ...revoked(pending, now) };
    expect(gone).toMatchObject({ status: 'revoked', revoked_at: now, invitation_token_hash: null });
    expect(assigned(gone, ada, null, invitation, now)).toMatchObject({ status: 'pending', revoked_at: null });
  });

  test('spends its token when claimed', () => {
    const seat = { ...pending, ...claimed(pending, now) };
    expect(seat).toMatchObject({ status: 'claimed', claimed_at: now, invitation_token_hash: null });
    expect(canBeClaimed(seat, container, now)).toBe(false);
  });

  test('can be claimed until the invitation expires or the purchase ends', () => {
    const at = (time: Date) => canBeClaimed(pending, container, time);
    expect(at(new Date(invitation.expires_at.getTime() - 1))).toBe(true);
    expect(at(invitation.expires_at)).toBe(false);
    expect(canBeClaimed(pending, { isAlive: false }, now)).toBe(false);
  });

  test('takes a new token only while it waits', () => {
    expect(reinvited(pending, { ...invitation, hash: 'new' })).toMatchObject({
      invitation_token_hash: 'new',
    });
    const seated = { ...pending, status: 'claimed' as const };
    expect(problemOf(() => reinvited(seated, invitation))).toBe('SeatNotPending');
  });
});

describe('who a seat is for', () => {
  const nobody: NamedOccupant = {
    email: null,
    customer_id: null,
    external_customer_id: null,
    member_id: null,
    external_member_id: null,
  };

  test.each<[string, Partial<NamedOccupant>]>([
    ['an e-mail', { email: 'a@example.com' }],
    ['a customer', { customer_id: 'c' }],
    ['an external customer', { external_customer_id: 'c' }],
    ['a member', { member_id: 'm' }],
    ['an external member with the e-mail it must have', { external_member_id: 'm', email: 'a@example.com' }],
  ])('may be named by %s', (_name, named) => {
    expect(problemOf(() => requireOneOccupant({ ...nobody, ...named }))).toBeUndefined();
  });

  test.each<[string, Partial<NamedOccupant>]>([
    ['nothing', {}],
    ['two ids', { customer_id: 'c', member_id: 'm' }],
    ['a customer and an e-mail', { customer_id: 'c', email: 'a@example.com' }],
  ])('may not be named by %s', (_name, named) => {
    expect(problemOf(() => requireOneOccupant({ ...nobody, ...named }))).toBe('InvalidSeatAssignmentRequest');
  });
});
