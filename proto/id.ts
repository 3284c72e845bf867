import { randomFillSync } from 'node:crypto';

const pool = Buffer.alloc(16 * 256);
let offset = pool.length;

/**
 * A new public id: UUID version 4 in form (RFC 9562 variant and version bits, as the contract asks), whose first
 * 48 bits are the Unix time in milliseconds and whose next 12 free bits count up within one, so that indexes on ids
 * grow at their end and records a process made one after the other sort so.
 * @param now milliseconds since the epoch
 */
export function newId(now: number = Date.now()): string {
  if (offset === pool.length) {
    randomFillSync(pool);
    offset = 0;
  }
  const bytes = pool.subarray(offset, offset + 16);
  offset += 16;
  advance(now, bytes.readUInt16BE(6) & HIGHEST_START);
  bytes.writeUIntBE(time, 0, 6);
  bytes.writeUInt16BE(0x4000 | sequence, 6);
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A millisecond's count begins at random in the lower half of its range. */
const HIGHEST_START = 0x7ff;
const HIGHEST = 0xfff;

/** The millisecond last asked for, the one its id was given, and the count within that one. */
let asked = 0;
let time = -1;
let sequence = 0;

/** A full millisecond borrows from the next, and one that was borrowed from counts on (RFC 9562 section 6.2). */
function advance(now: number, start: number): void {
  if (now < asked || now > time) {
    time = now;
    sequence = start;
  } else if (sequence < HIGHEST) {
    sequence += 1;
  } else {
    time += 1;
    sequence = 0;
  }
  asked = now;
}

/** Milliseconds since the epoch at which an id was made: a range of ids is a span of time in the order of making. */
export const idTime = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** The smallest id of a millisecond. */
export const firstIdOf = (ms: number): string => boundary(ms, '0');

/** The greatest id of a millisecond. */
export const lastIdOf = (ms: number): string => boundary(ms, 'f');

/** Below and above every id. */
export const LEAST_ID = firstIdOf(0);
export const GREATEST_ID = lastIdOf(2 ** 48 - 1);

function boundary(ms: number, fill: '0' | 'f'): string {
  const hex = ms.toString(16).padStart(12, '0');
  const rest = fill.repeat(4);
  return `${hex.slice(0, 8)}-${hex.slice(8)}-${rest}-${rest}-${rest.repeat(3)}`;
}
