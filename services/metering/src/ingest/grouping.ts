import type { Outcome } from './accept.ts';
import type { IngestedEvent } from './event-input.ts';

/** A request that waits to be stored. */
export interface Waiting {
  events: readonly IngestedEvent[];
  now: Date;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

/** Bounds of one group; a larger request has a transaction to itself. */
const MAX_EVENTS = 2_000;
const MAX_REQUESTS = 256;
/** Groups under way at once, and large requests beside them. */
const MAX_GROUPS = 2;
const MAX_LARGE = 2;
/** While a group is under way, another one begins when it has so much company. */
const WORTH_ANOTHER = { events: 1_500, requests: 24 };
/** Longest wait for company while nothing is under way, milliseconds. */
const MAX_WAIT_MS = 4;
/** How much of the crowd is still reckoned with after each group. */
const FADING = 0.8;

/**
 * Groups requests into transactions: a request that finds nothing under way is stored at once, those that come
 * meanwhile are stored together when it is done. Large requests neither wait for the small ones nor hold them up.
 *
 * Where many requests come at once, groups that took whoever happened to be there would stay small, since each of them
 * is quick; so a group then waits, at most 4 ms, until half of those are there again that were there lately. The more
 * requests come, the less each costs; one caller after the other never waits.
 */
export function grouping(settle: (group: readonly Waiting[]) => Promise<void>): {
  push(waiting: Waiting): void;
} {
  const small = smallGroups(settle);
  const large = largeRequests(settle);
  return { push: (waiting) => (waiting.events.length > MAX_EVENTS ? large : small)(waiting) };
}

function smallGroups(settle: (group: readonly Waiting[]) => Promise<void>): (waiting: Waiting) => void {
  let waiting: Waiting[] = [];
  let events = 0;
  let groups = 0;
  let underWay = 0;
  /** Requests that were here at once lately. */
  let crowd = 0;
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  function look(): void {
    isLooking = false;
    while (waiting.length > 0 && mayStart()) start();
    if (waiting.length > 0 && groups === 0) timer ??= setTimeout(startAnyway, MAX_WAIT_MS);
  }

  function mayStart(): boolean {
    if (groups >= MAX_GROUPS) return false;
    if (events >= WORTH_ANOTHER.events || waiting.length >= WORTH_ANOTHER.requests) return true;
    return groups === 0 && waiting.length >= crowd / 2;
  }

  function startAnyway(): void {
    timer = undefined;
    if (waiting.length > 0 && groups === 0) start();
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    const group = take();
    groups += 1;
    underWay += group.length;
    crowd = Math.max(crowd * FADING, underWay + waiting.length);
    void settle(group).finally(() => {
      groups -= 1;
      underWay -= group.length;
      look();
    });
  }

  function take(): Waiting[] {
    let size = 0;
    let count = 0;
    while (count < waiting.length && count < MAX_REQUESTS) {
      const next = waiting[count]!.events.length;
      if (count > 0 && size + next > MAX_EVENTS) break;
      size += next;
      count += 1;
    }
    const group = waiting.slice(0, count);
    waiting = waiting.slice(count);
    events -= size;
    return group;
  }

  return (one) => {
    waiting.push(one);
    events += one.events.length;
    if (isLooking) return;
    isLooking = true;
    // Requests that the same turn of the event loop brings are taken together.
    setImmediate(look);
  };
}

function largeRequests(settle: (group: readonly Waiting[]) => Promise<void>): (waiting: Waiting) => void {
  const waiting: Waiting[] = [];
  let underWay = 0;

  function start(): void {
    while (underWay < MAX_LARGE && waiting.length > 0) {
      underWay += 1;
      void settle([waiting.shift()!]).finally(() => {
        underWay -= 1;
        start();
      });
    }
  }

  return (one) => {
    waiting.push(one);
    start();
  };
}
