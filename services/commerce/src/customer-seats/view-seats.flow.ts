import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { customersById } from '../customers/store.ts';
import { membersById } from '../members/store.ts';
import type { CustomerSeat } from './customer-seat.ts';
import type { SeatView } from './present.ts';

/** Seats with what their representation embeds, in two statements whatever their number. */
export async function seatViews(reader: Reader, found: readonly CustomerSeat[]): Promise<SeatView[]> {
  const memberIds = found.flatMap(({ member_id }) => member_id ?? []);
  const members = new Map(
    memberIds.length === 0 ? [] : (await membersById(reader, memberIds)).map((member) => [member.id, member]),
  );
  const customers = await customersById(
    reader,
    found.flatMap(({ customer_id }) => customer_id ?? []),
  );
  return found.map((seat) => ({
    seat,
    member: members.get(seat.member_id ?? ''),
    customer_email: customers.get(seat.customer_id ?? '')?.email ?? null,
  }));
}
