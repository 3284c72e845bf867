import { invalid } from '@tributary/runtime/http/problem.ts';
import { maximumCharge, minimumCharge } from '@tributary/runtime/money.ts';
import { customPriceOf, seatPriceOf } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import type { Checkout } from './checkout.ts';
import { pricesAsked } from './pricing.ts';

/** Takes what the buyer chose where the prices ask for it. */
export function chooseQuantity(
  checkout: Checkout,
  { amount, seats }: { amount?: number | null; seats?: number | null },
  product: ProductCopy,
): Checkout {
  const next = { ...checkout };
  const prices = pricesAsked(checkout, product);
  const customPrice = customPriceOf(prices);
  if (amount != null && customPrice) {
    const { minimum_amount, maximum_amount } = customPrice;
    const least = amount === 0 ? minimum_amount : Math.max(minimum_amount, minimumCharge(checkout.currency));
    if (amount < least || (maximum_amount !== null && amount > maximum_amount)) {
      const range = maximum_amount === null ? `at least ${least}` : `between ${least} and ${maximum_amount}`;
      throw invalid(['body', 'amount'], `Amount must be ${range}.`, 'value_error', amount);
    }
    next.custom_amount = amount;
  }
  if (seats == null) return next;
  const seatPrice = seatPriceOf(prices);
  if (!seatPrice) {
    throw invalid(['body', 'seats'], 'Seats can only be set for seat-based prices.', 'value_error', seats);
  }
  const { minimum_seats, maximum_seats } = seatPrice.seat_tiers;
  const least = Math.max(minimum_seats, checkout.min_seats ?? 1);
  const most = Math.min(
    maximum_seats ?? Number.POSITIVE_INFINITY,
    checkout.max_seats ?? Number.POSITIVE_INFINITY,
  );
  if (seats < least || seats > most) {
    const range = Number.isFinite(most) ? `between ${least} and ${most}` : `at least ${least}`;
    throw invalid(['body', 'seats'], `Seats must be ${range}.`, 'value_error', seats);
  }
  return { ...next, seats };
}

/** Refuses (422) what adds up to more than can be charged, where the buyer chose so much of it. */
export function requireChargeable(checkout: Checkout, product: ProductCopy): Checkout {
  const most = maximumCharge(checkout.currency);
  if (checkout.amount <= most) return checkout;
  const key = seatPriceOf(pricesAsked(checkout, product)) ? 'seats' : 'amount';
  const msg = `Comes to ${checkout.amount}, but at most ${most} can be charged.`;
  throw invalid(['body', key], msg, 'value_error', checkout[key]);
}
