import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Member } from '../members/member.ts';
import { presentMember } from '../members/present.ts';
import type { CustomerSeat } from './customer-seat.ts';

/** A seat with what its representation embeds. */
export interface SeatView {
  seat: CustomerSeat;
  member: Member | undefined;
  customer_email: string | null;
}

export const presentSeat = ({ seat, member, customer_email }: SeatView) => ({
  ...presentRecorded(seat),
  subscription_id: seat.subscription_id,
  order_id: seat.order_id,
  status: seat.status,
  customer_id: seat.customer_id,
  member_id: seat.member_id,
  member: member ? presentMember(member) : null,
  email: seat.email,
  customer_email,
  invitation_token_expires_at: iso(seat.invitation_token_expires_at),
  claimed_at: iso(seat.claimed_at),
  revoked_at: iso(seat.revoked_at),
  seat_metadata: seat.seat_metadata,
});

/** A seat for other services, which need to know what it is a seat of. */
export const presentSeatState = (view: SeatView) => ({
  ...presentSeat(view),
  organization_id: view.seat.organization_id,
  product_id: view.seat.product_id,
});
