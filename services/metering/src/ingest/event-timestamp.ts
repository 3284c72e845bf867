const ISO = /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i;
const DAYS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
/** PostgreSQL knows no year 0; whoever needs one does not measure usage. */
const EARLIEST = new Date('0001-01-01T00:00:00Z').getTime();

export interface Refusal {
  type: string;
  msg: string;
}

/** Reads an ISO 8601 instant, which must have an offset, to milliseconds since the epoch; finer digits are dropped. */
export function readTimestamp(sent: unknown): number | Refusal {
  if (sent === latest.text) return latest.time;
  const read = parse(sent);
  if (typeof read === 'number') latest = { text: sent, time: read };
  return read;
}

/** Events of a request mostly bear one of a few timestamps, and neighbours the same. */
let latest: { text: unknown; time: number } = { text: Symbol('none'), time: 0 };

function parse(sent: unknown): number | Refusal {
  if (typeof sent !== 'string') return { type: 'string_type', msg: 'Input should be a string' };
  if (sent.length > 40) return INVALID;
  const parts = ISO.exec(sent);
  if (parts === null || !isDate(Number(parts[1]), Number(parts[2]), Number(parts[3]))) return INVALID;
  const offset = parts[7];
  if (offset === undefined) return { type: 'timezone_aware', msg: 'Input should have timezone info' };
  const time = Date.parse(isStrict(sent) ? sent : normalized(sent, offset));
  return Number.isNaN(time) || time < EARLIEST ? INVALID : time;
}

const INVALID: Refusal = { type: 'datetime_parsing', msg: 'Input should be a valid datetime' };

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1 || day > DAYS[month - 1]!) return false;
  return month !== 2 || day < 29 || (year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0));
}

/** Forms that the language itself is bound to read. */
const isStrict = (text: string) =>
  text.length === 24 && text[10] === 'T' && text[19] === '.' && text.endsWith('Z');

function normalized(text: string, offset: string): string {
  const local = text
    .slice(0, text.length - offset.length)
    .replace(/[t ]/, 'T')
    .replace(',', '.');
  const zone = offset.toUpperCase() === 'Z' ? 'Z' : `${offset.slice(0, 3)}:${offset.slice(-2)}`;
  return local.replace(/(\.\d{3})\d+$/, '$1') + zone;
}
