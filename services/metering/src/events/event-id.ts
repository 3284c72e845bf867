/**
 * Ids begin with the milliseconds of their making (`newId`), so a range of ids is a span of time in the order of
 * storing, whatever the events' own timestamps are.
 */

/** Milliseconds since the epoch at which an id was made. */
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
