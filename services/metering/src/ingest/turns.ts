/**
 * Work that would hold up the process is done in slices of about a millisecond. Whoever has more to do waits for a turn:
 * one slice is done in each turn of the event loop, however many requests are being worked on, so that whatever came in
 * meanwhile is looked after before the next one.
 */
const waiting: (() => void)[] = [];

/** Resolves when it is the caller's turn to do another slice. */
export function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(next);
  });
}

function next(): void {
  waiting.shift()!();
  if (waiting.length > 0) setImmediate(next);
}

/** Events that are looked at between two breaths. */
export const SLICE = 256;

/** Goes over the items in slices. */
export async function inSlices<T>(
  items: readonly T[],
  size: number,
  visit: (slice: readonly T[], start: number) => void | Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += size) {
    if (start > 0) await turn();
    await visit(start === 0 && items.length <= size ? items : items.slice(start, start + size), start);
  }
}
