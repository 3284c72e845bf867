import type { Cadence } from '@tributary/runtime/period.ts';
import type { NewOrderItem } from '../orders/order.ts';
import { isStatic, staticAmount } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import type { Checkout } from './checkout.ts';
import { pricesAsked } from './pricing.ts';

/** The items of the first order (domain rules 2.4): what is paid at once, or the trial. */
export function itemsSold(checkout: Checkout, product: ProductCopy): NewOrderItem[] {
  if (checkout.trial_end !== null) {
    const from = dayOf(checkout.confirmed_at ?? checkout.created_at);
    const label = `Trial of ${product.name} (${from} to ${dayOf(checkout.trial_end)})`;
    return [{ label, amount: 0, product_price_id: null }];
  }
  const quantity = { seats: checkout.seats, customAmount: checkout.custom_amount };
  return pricesAsked(checkout, product)
    .filter(isStatic)
    .map((price) => ({
      label: price.amount_type === 'seat_based' ? `${product.name} (${seatsOf(checkout)})` : product.name,
      amount: staticAmount(price, quantity),
      product_price_id: price.id,
    }));
}

const seatsOf = ({ seats }: Checkout) => (seats === 1 ? '1 seat' : `${seats} seats`);

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);

/** How often the product is paid; prices from before products had an interval carry their own. */
export function cadenceOf(product: ProductCopy): Cadence {
  const interval =
    product.recurring_interval ??
    product.prices.find((price) => price.recurring_interval)?.recurring_interval;
  if (!interval) throw new Error(`product ${product.id} recurs without an interval`);
  return { interval, count: product.recurring_interval_count ?? 1 };
}
