/**
 * Lists as parameters of a statement, in the binary format of PostgreSQL's arrays
 * (src/backend/utils/adt/arrayfuncs.c, array_recv): the server takes them as they are, where text or JSON of the same
 * values would have to be parsed. The types' numbers are fixed (src/include/catalog/pg_type.dat).
 */
const TYPES = { text: 25, timestamptz: 1184, uuid: 2950, jsonb: 3802 };

/** Dimensions, whether there are nulls, type, length, lower bound. */
const HEADER = 20;
const NULL = -1;

/** One-dimensional, of any number of values, nulls included. */
abstract class ArrayParameter<T> {
  readonly #type: number;
  #count = 0;
  #nulls = 0;
  protected bytes = Buffer.allocUnsafe(1_024);
  protected end = HEADER;

  constructor(type: number) {
    this.#type = type;
  }

  add(value: T | null): void {
    this.#count += 1;
    this.reserve(4);
    const start = this.end + 4;
    if (value === null) this.#nulls += 1;
    else {
      this.end = start;
      this.write(value);
    }
    this.bytes.writeInt32BE(value === null ? NULL : this.end - start, start - 4);
    if (value === null) this.end = start;
  }

  /** The parameter; null if every value is, of which `unnest` beside other lists makes the same. */
  get value(): Buffer | null {
    if (this.#nulls === this.#count) return null;
    for (const [place, field] of [1, Math.sign(this.#nulls), this.#type, this.#count, 1].entries())
      this.bytes.writeInt32BE(field, place * 4);
    return this.bytes.subarray(0, this.end);
  }

  /** Writes at `end` and moves it on. */
  protected abstract write(value: T): void;

  protected reserve(length: number): void {
    if (this.end + length <= this.bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.end + length));
    this.bytes.copy(larger, 0, 0, this.end);
    this.bytes = larger;
  }
}

/** A code unit of UTF-16 takes at most three bytes of UTF-8. */
const MOST_BYTES = 3;

export class TextArray extends ArrayParameter<string> {
  constructor(type = TYPES.text) {
    super(type);
  }

  protected write(value: string): void {
    this.reserve(value.length * MOST_BYTES);
    this.end += this.bytes.write(value, this.end, 'utf8');
  }
}

/** Of JSON texts. */
export class JsonbArray extends TextArray {
  constructor() {
    super(TYPES.jsonb);
  }

  protected override write(value: string): void {
    this.reserve(1);
    this.bytes[this.end] = JSONB_VERSION;
    this.end += 1;
    super.write(value);
  }
}

const JSONB_VERSION = 1;

const NIBBLES = new Uint8Array(128);
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  NIBBLES[digit.charCodeAt(0)] = value;
  NIBBLES[digit.toUpperCase().charCodeAt(0)] = value;
}
/** Places of the bytes' first digits in a UUID's text. */
const DIGITS = [0, 2, 4, 6, 9, 11, 14, 16, 19, 21, 24, 26, 28, 30, 32, 34];

/** Of UUIDs that were checked. */
export class UuidArray extends ArrayParameter<string> {
  constructor() {
    super(TYPES.uuid);
  }

  protected write(value: string): void {
    this.reserve(DIGITS.length);
    for (const place of DIGITS) {
      this.bytes[this.end] = (NIBBLES[value.charCodeAt(place)]! << 4) | NIBBLES[value.charCodeAt(place + 1)]!;
      this.end += 1;
    }
  }
}

function filled<T>(array: ArrayParameter<T>, values: readonly (T | null)[]): Buffer | null {
  for (const value of values) array.add(value);
  return array.value;
}

export const uuidArray = (values: readonly (string | null)[]) => filled(new UuidArray(), values);
export const textArray = (values: readonly (string | null)[]) => filled(new TextArray(), values);

const EPOCH_2000 = Date.UTC(2000, 0);

/** Of milliseconds since 1970. */
export class InstantArray extends ArrayParameter<number> {
  constructor() {
    super(TYPES.timestamptz);
  }

  protected write(value: number): void {
    this.reserve(8);
    this.end = this.bytes.writeBigInt64BE(BigInt(value - EPOCH_2000) * 1_000n, this.end);
  }
}

/** Numbers need no quotes and little parsing: as text. Decimal text stays exact. */
export const numberArray = (values: readonly (number | string | null)[]): string =>
  `{${values.map((value) => value ?? 'null').join(',')}}`;

/** SQL that makes rows of lists: parameters from `$first` on, of these types. */
export const unnestSql = (first: number, types: readonly string[]): string =>
  `unnest(${types.map((type, place) => `$${first + place}::${type}[]`).join(', ')})`;
