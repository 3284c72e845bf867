import { type Big, parseDecimal, toNumber, toWire } from '@tributary/runtime/decimal.ts';
import { formatMoney, minorDigits, unitsToMoney } from '@tributary/runtime/money.ts';
import { isMetered, type MeteredPrice, type Price } from '../products/price.ts';

/** What a customer consumed and was credited on one meter. */
export interface MeterTotals {
  consumed_units: Big;
  credited_units: number;
}

/** What a price asks for usage: consumption beyond the credits, at most the cap. */
export function usageAmount(price: MeteredPrice, totals: MeterTotals | undefined): number {
  if (!totals) return 0;
  return unitsToMoney(billableUnits(totals), parseDecimal(price.unit_amount), price.cap_amount);
}

const billableUnits = ({ consumed_units, credited_units }: MeterTotals): Big =>
  consumed_units.minus(credited_units);

/** A line of a renewal's order. */
export interface UsageItem {
  label: string;
  amount: number;
  product_price_id: string;
}

/** One line for each metered price that asks something. */
export function usageItems(
  prices: readonly Price[],
  totalsOf: (meterId: string) => MeterTotals | undefined,
  currency: string,
): UsageItem[] {
  return prices.filter(isMetered).flatMap((price) => {
    const totals = totalsOf(price.meter_id);
    const amount = usageAmount(price, totals);
    if (!totals || amount === 0) return [];
    return [{ label: usageLabel(price, totals, amount, currency), amount, product_price_id: price.id }];
  });
}

const MAX_LABEL = 500;

function usageLabel(price: MeteredPrice, totals: MeterTotals, amount: number, currency: string): string {
  const units = toWire(billableUnits(totals));
  const isCapped = amount === price.cap_amount;
  const cap = isCapped ? `, capped at ${formatMoney(amount, currency)}` : '';
  return `${price.meter.name} (${units} × ${unitPrice(price, currency)}${cap})`.slice(0, MAX_LABEL);
}

/** Unit prices may be fractions of the smallest coin, which money formats cannot show. */
function unitPrice(price: MeteredPrice, currency: string): string {
  const minor = parseDecimal(price.unit_amount);
  const major = minor.div(10 ** minorDigits(currency));
  return `${toWire(major)} ${currency.toUpperCase()}`;
}

/** Units as the wire has them: the nearest number. */
export const wireUnits = (units: Big): number => toNumber(units);
