import type { Aggregation } from '../meters/schema.ts';

/**
 * Metering as it would be without any cleverness: keeps every event, credit and reset and counts them all again for
 * each question, in whole numbers of the smallest unit and fractions.
 */

export interface ReferenceEvent {
  name: string;
  /** Id of the customer, or the external id of one who may not have come yet. */
  who: string;
  timestamp: number;
  /** As decimal text, so that nothing is lost on the way. */
  tokens?: string;
  tag?: string;
}

export interface ReferenceMeter {
  name: string | undefined;
  aggregation: Aggregation;
  /** Numbers of stored events from which on the meter was archived, and until when. */
  gaps: { from: number; to: number }[];
}

interface Credit {
  timestamp: number;
  units: number;
  rollover: boolean;
}

const SCALE = 12n;
const ONE = 10n ** SCALE;

/** Decimal text in units of 10^-12. */
export function scaled(text: string): bigint {
  const [whole, fraction = ''] = text.replace('-', '').split('.');
  const size = BigInt(whole!) * ONE + BigInt(fraction.padEnd(Number(SCALE), '0'));
  return text.startsWith('-') ? -size : size;
}

/** A fraction as the nearest number to its 20 decimals, rounded half away from zero. */
function quotient(numerator: bigint, denominator: bigint): number {
  const wide = (numerator < 0n ? -numerator : numerator) * 10n ** 20n;
  const rounded = (2n * wide + denominator) / (2n * denominator);
  const text = rounded.toString().padStart(21, '0');
  const size = Number(`${text.slice(0, -20)}.${text.slice(-20)}`);
  return numerator < 0n ? -size : size;
}

export class Reference {
  readonly events: ReferenceEvent[] = [];
  readonly #credits = new Map<string, Credit[]>();
  readonly #resets = new Map<string, number[]>();
  readonly #seen = new Set<string>();
  readonly #names = new Map<string, string>();

  /** Returns whether the event was stored. */
  store(event: ReferenceEvent, externalId: string | undefined): boolean {
    if (externalId !== undefined && this.#seen.has(externalId)) return false;
    if (externalId !== undefined) this.#seen.add(externalId);
    this.events.push(event);
    return true;
  }

  /** From now on the external id means a customer, for events of the past too. */
  name(externalId: string, customer: string): void {
    this.#names.set(externalId, customer);
  }

  credit(key: string, credit: Credit): void {
    this.#credits.set(key, [...(this.#credits.get(key) ?? []), credit]);
  }

  reset(key: string, customer: string, meter: ReferenceMeter, timestamp: number): void {
    const resets = this.#resets.get(key) ?? [];
    if (resets.includes(timestamp)) return;
    const from = Math.max(Number.NEGATIVE_INFINITY, ...resets.filter((reset) => reset < timestamp));
    this.#resets.set(key, [...resets, timestamp]);
    const consumed = this.#consumed(customer, meter, from, timestamp);
    const balance = this.#credited(key, from, timestamp) - consumed;
    const rollover = this.#creditsIn(key, from, timestamp)
      .filter((credit) => credit.rollover)
      .reduce((sum, credit) => sum + credit.units, 0);
    const units = Math.min(Math.floor(balance), rollover);
    if (balance > 0 && units > 0) this.credit(key, { timestamp, units, rollover: true });
  }

  /** Consumed, credited and balance now; undefined where the customer meter has not appeared. */
  balanceOf(key: string, customer: string, meter: ReferenceMeter) {
    const from = Math.max(Number.NEGATIVE_INFINITY, ...(this.#resets.get(key) ?? []));
    const credited = this.#credited(key, from, Number.POSITIVE_INFINITY);
    const consumed = this.#consumed(customer, meter, from, Number.POSITIVE_INFINITY);
    return { consumed, credited, balance: credited - consumed };
  }

  /** Consumed and credited over a span. */
  usageOf(key: string, customer: string, meter: ReferenceMeter, from: number, to: number) {
    return { consumed: this.#consumed(customer, meter, from, to), credited: this.#credited(key, from, to) };
  }

  #creditsIn(key: string, from: number, to: number): Credit[] {
    return (this.#credits.get(key) ?? [])
      .filter((credit) => credit.timestamp >= from && credit.timestamp < to)
      .sort((a, b) => a.timestamp - b.timestamp);
  }

  #credited(key: string, from: number, to: number): number {
    return this.#creditsIn(key, from, to).reduce((sum, credit) => Math.max(0, sum + credit.units), 0);
  }

  #consumed(customer: string, meter: ReferenceMeter, from: number, to: number): number {
    const matching = this.events.filter(
      (event, number) =>
        (this.#names.get(event.who) ?? event.who) === customer &&
        (meter.name === undefined || event.name === meter.name) &&
        event.timestamp >= from &&
        event.timestamp < to &&
        !meter.gaps.some((gap) => number >= gap.from && number < gap.to),
    );
    return measure(meter.aggregation, matching);
  }
}

function measure({ func, ...rest }: Aggregation, events: readonly ReferenceEvent[]): number {
  if (func === 'count') return events.length;
  if (func === 'unique') {
    const property = (rest as { property: string }).property as 'tag' | 'tokens';
    return new Set(events.flatMap((event) => event[property] ?? [])).size;
  }
  const values = events.flatMap((event) => (event.tokens === undefined ? [] : scaled(event.tokens)));
  if (values.length === 0) return 0;
  const sum = values.reduce((total, value) => total + value, 0n);
  const sorted = values.toSorted((a, b) => (a < b ? -1 : Number(a > b)));
  switch (func) {
    case 'sum':
      return quotient(sum, ONE);
    case 'avg':
      return quotient(sum, ONE * BigInt(values.length));
    case 'max':
      return quotient(sorted.at(-1)!, ONE);
    case 'min':
      return quotient(sorted[0]!, ONE);
  }
}
