import { isDecimal, parseDecimal, toWire } from '@tributary/runtime/decimal.ts';
import { isObject, isStorable, type Loc, type Reading, refuse, UNSTORABLE } from './reading.ts';

const MAX_VALUE = 500;
/** Numbers closer to zero would need more decimals than are ever added up. */
const LEAST_NUMBER = 1e-30;

/**
 * Whether metadata is plain and good: flat, without the typed keys, every value within its bounds. The common case,
 * decided without allocating anything; whatever is not so plain is read by `readMetadata`.
 */
export function isMetadata(metadata: Record<string, unknown>): boolean {
  for (const key in metadata) {
    if (key.charCodeAt(0) === 95 && (key === '_cost' || key === '_llm')) return false;
    const value = metadata[key];
    if (typeof value === 'string') {
      if (value.length === 0 || value.length > MAX_VALUE) return false;
    } else if (typeof value === 'number') {
      if (!isExact(value)) return false;
    } else if (typeof value !== 'boolean') return false;
  }
  return true;
}

/** Reads metadata key by key and says what is wrong where (domain rules 8.1). */
export function readMetadata(
  metadata: Record<string, unknown>,
  loc: Loc,
  reading: Reading,
): Record<string, unknown> {
  const entries = Object.entries(metadata).map(([key, value]) => {
    if (reading.isSuspicious && !isStorable(key)) refuse(reading, loc, 'string_unicode', UNSTORABLE);
    if (key === '_cost') return [key, readCost(value, [...loc, key], reading)];
    if (key === '_llm') return [key, readLlm(value, [...loc, key], reading)];
    checkValue(value, [...loc, key], reading);
    return [key, value];
  });
  return Object.fromEntries(entries);
}

function checkValue(value: unknown, loc: Loc, reading: Reading): void {
  if (typeof value === 'boolean') return;
  if (typeof value === 'number') {
    if (!isExact(value)) refuse(reading, loc, 'number_not_exact', NOT_EXACT);
  } else if (typeof value !== 'string') {
    refuse(reading, loc, 'string_type', 'Input should be a string, a number or a boolean');
  } else if (value.length === 0) {
    refuse(reading, loc, 'string_too_short', 'String should have at least 1 character');
  } else if (value.length > MAX_VALUE && (value.length > 2 * MAX_VALUE || [...value].length > MAX_VALUE)) {
    refuse(reading, loc, 'string_too_long', `String should have at most ${MAX_VALUE} characters`);
  } else if (reading.isSuspicious && !isStorable(value)) {
    refuse(reading, loc, 'string_unicode', UNSTORABLE);
  }
}

const NOT_EXACT =
  'Input should be a number that can be counted exactly: below 2^53, with at most 30 decimals';

/** Beyond 2^53 JSON's readers disagree about which integer was meant. */
function isExact(value: number): boolean {
  const size = Math.abs(value);
  return size <= Number.MAX_SAFE_INTEGER && (size >= LEAST_NUMBER || size === 0);
}

const COST_BOUNDS = { integerDigits: 5, fractionDigits: 12 };
const COST_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)$/;

/** `_cost`: an amount in cents, kept as text so that no digit is lost. */
function readCost(sent: unknown, loc: Loc, reading: Reading): unknown {
  if (!isObject(sent)) return refuse(reading, loc, 'object_type', 'Input should be an object');
  const { amount, currency } = sent;
  if (currency !== 'usd') {
    const type = currency === undefined ? 'missing' : 'string_pattern_mismatch';
    refuse(reading, [...loc, 'currency'], type, 'Should be usd');
  }
  const decimal = typeof amount === 'string' && COST_TEXT.test(amount) ? tidy(amount) : amount;
  if ((typeof decimal !== 'string' && typeof decimal !== 'number') || !isDecimal(decimal, COST_BOUNDS)) {
    const type = amount === undefined ? 'missing' : 'decimal_parsing';
    return refuse(
      reading,
      [...loc, 'amount'],
      type,
      'Should be a decimal of at most 17 digits, 12 of them decimals',
    );
  }
  return { amount: toWire(parseDecimal(decimal)), currency };
}

/** `.5` and `5.` are decimals too. */
const tidy = (text: string) => text.replace(/^([+-]?)\./, '$10.').replace(/\.$/, '');

const LLM_TEXTS = { vendor: true, model: true, prompt: false, response: false } as const;
const LLM_COUNTS = {
  input_tokens: true,
  cached_input_tokens: false,
  output_tokens: true,
  total_tokens: true,
} as const;

/** `_llm`: which model was asked, and how many tokens it took. */
function readLlm(sent: unknown, loc: Loc, reading: Reading): unknown {
  if (!isObject(sent)) return refuse(reading, loc, 'object_type', 'Input should be an object');
  const read: Record<string, unknown> = {};
  for (const [field, isRequired] of Object.entries({ ...LLM_TEXTS, ...LLM_COUNTS })) {
    const value = sent[field];
    if (value === undefined || (value === null && (field === 'prompt' || field === 'response'))) {
      if (isRequired) refuse(reading, [...loc, field], 'missing', 'Field required');
    } else if (field in LLM_COUNTS) {
      if (!Number.isSafeInteger(value))
        refuse(reading, [...loc, field], 'int_type', 'Input should be an integer');
    } else if (typeof value !== 'string') {
      refuse(reading, [...loc, field], 'string_type', 'Input should be a string');
    } else if (reading.isSuspicious && !isStorable(value)) {
      refuse(reading, [...loc, field], 'string_unicode', UNSTORABLE);
    }
    if (value !== undefined) read[field] = value;
  }
  return read;
}
