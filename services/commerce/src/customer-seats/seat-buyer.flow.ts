import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Customer } from '../customers/customer.ts';
import { findMember } from '../members/store.ts';
import { takeSeat } from './assign-seat.flow.ts';

/** What a checkout sold. */
export interface Sold {
  seats: number | null;
  /** Where the merchant wants buyers to go; null for our own page. */
  success_url: string | null;
  subscription_id: string | null;
  order_id: string;
}

/** A buyer whom no page of the merchant's waits for takes one of the seats at once (domain rules 1.8). */
export async function seatBuyer(tx: Tx, sold: Sold, customer: Customer, now: Date): Promise<void> {
  if (sold.seats === null || sold.success_url !== null) return;
  const { subscription_id, order_id } = sold;
  const owner = await findMember(tx, customer.id, { role: 'owner' });
  await takeSeat(
    tx,
    subscription_id ? { subscription_id } : { order_id },
    { customer_id: customer.id, member_id: owner?.id ?? null, email: owner?.email ?? customer.email },
    now,
  );
}
