import type { Period } from '@tributary/runtime/period.ts';
import type { NewOrderItem } from '../orders/order.ts';
import { isStatic, staticAmount } from '../products/price.ts';
import type { Subscription } from './subscription.ts';
import { type MeterTotals, usageItems } from './usage.ts';

/** Usage of a period that ended, by meter. */
export type PeriodUsage = ReadonlyMap<string, MeterTotals>;

const dayOf = (instant: Date) => instant.toISOString().slice(0, 10);
const span = ({ start, end }: Period) => `${dayOf(start)} to ${dayOf(end)}`;

/**
 * The lines of a renewal: what the period that begins costs in advance, then what was used in the one that ended.
 * A price its buyer chose is what the subscription has cost ever since.
 */
export function renewalItems(
  subscription: Subscription,
  productName: string,
  opened: Period,
  usage: PeriodUsage,
): NewOrderItem[] {
  const { seats, amount, currency, prices } = subscription;
  const fixed = prices.filter(isStatic).map((price) => {
    const count = price.amount_type === 'seat_based' ? `${seats === 1 ? '1 seat' : `${seats} seats`}, ` : '';
    return {
      label: `${productName} (${count}${span(opened)})`,
      amount: staticAmount(price, { seats, customAmount: amount }),
      product_price_id: price.id,
    };
  });
  return [...fixed, ...usageItems(prices, (meterId) => usage.get(meterId), currency)];
}

/** The lines of the last order of a subscription: only what was still used. */
export const finalItems = ({ prices, currency }: Subscription, usage: PeriodUsage): NewOrderItem[] =>
  usageItems(prices, (meterId) => usage.get(meterId), currency);

export const renewalDescription = (productName: string, opened: Period): string =>
  `${productName} (${span(opened)})`;

export const finalDescription = (productName: string, closed: Period): string =>
  `${productName} (usage, ${span(closed)})`;
