import { allocate, minimumCharge } from '@tributary/runtime/money.ts';

export interface AmountsInput {
  /** Amount of each item; credits are below zero. */
  items: readonly number[];
  discount: number;
  tax: number;
  /** The items' amounts contain the tax. */
  isTaxInclusive: boolean;
  /** What the customer has to their credit; below zero is debt. */
  balance: number;
}

export interface OrderAmounts {
  subtotal_amount: number;
  discount_amount: number;
  net_amount: number;
  tax_amount: number;
  total_amount: number;
  /** Signed: below zero where credit pays, above where debt is added. */
  applied_balance_amount: number;
  due_amount: number;
}

/** The sums of an order (domain rules 2.2); every amount is exact in minor units. */
export function orderAmounts({ items, discount, tax, isTaxInclusive, balance }: AmountsInput): OrderAmounts {
  const subtotal_amount = items.reduce((sum, amount) => sum + amount, 0);
  const net_amount = subtotal_amount - discount - (isTaxInclusive ? tax : 0);
  const total_amount = net_amount + tax;
  const applied_balance_amount = appliedBalance(total_amount, balance);
  return {
    subtotal_amount,
    discount_amount: discount,
    net_amount,
    tax_amount: tax,
    total_amount,
    applied_balance_amount,
    due_amount: Math.max(0, total_amount + applied_balance_amount),
  };
}

/** Adding zero turns negative zero into zero. */
function appliedBalance(total: number, balance: number): number {
  if (total >= 0) return -Math.min(total, balance) + 0;
  return balance < 0 ? Math.min(-total, -balance) : 0;
}

export interface Collection {
  /** To be charged now. */
  charged: number;
  /** By how much the customer's balance moves. */
  balanceChange: number;
}

/**
 * How an order is settled: what is due is charged, unless it is below what the currency lets us charge; then it is
 * carried as the customer's debt.
 */
export function collectionOf(amounts: OrderAmounts, currency: string): Collection {
  const { total_amount, applied_balance_amount, due_amount } = amounts;
  const moved = total_amount >= 0 ? applied_balance_amount : -total_amount;
  const isChargeable = due_amount >= minimumCharge(currency);
  return isChargeable
    ? { charged: due_amount, balanceChange: moved }
    : { charged: 0, balanceChange: moved - due_amount + 0 };
}

/** The tax of each item, in proportion to what it costs; credits carry none. */
export const itemTaxes = (items: readonly number[], tax: number): number[] =>
  items.length === 0
    ? []
    : allocate(
        tax,
        items.map((amount) => Math.max(0, amount)),
      );

/** What may still be given back, without tax. */
export const refundableAmount = (order: {
  net_amount: number;
  applied_balance_amount: number;
  refunded_amount: number;
}): number => Math.max(0, order.net_amount + order.applied_balance_amount - order.refunded_amount);

export const refundableTax = (order: { tax_amount: number; refunded_tax_amount: number }): number =>
  Math.max(0, order.tax_amount - order.refunded_tax_amount);
