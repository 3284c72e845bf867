import type { Clock } from '../clock.ts';

/** A span of time, as the sum of its parts. */
export interface Span {
  days?: number;
  hours?: number;
  minutes?: number;
  seconds?: number;
  ms?: number;
}

/** A clock that stands still until told otherwise. */
export interface TestClock extends Clock {
  /** Moves on by a span and returns the new present. */
  advance(span: Span): Date;
  /** Jumps to an instant. */
  set(to: Date | string): Date;
}

/** @param start ISO 8601 text with an offset, or a Date */
export function testClock(start: Date | string = '2026-01-15T12:00:00Z'): TestClock {
  let present = new Date(start);
  const set = (to: Date | string): Date => {
    const next = new Date(to);
    if (Number.isNaN(next.getTime())) throw new RangeError(`${String(to)} is not an instant`);
    present = next;
    return new Date(present);
  };
  return {
    now: () => new Date(present),
    set,
    advance: ({ days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0 }) =>
      set(new Date(present.getTime() + (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000 + ms)),
  };
}
