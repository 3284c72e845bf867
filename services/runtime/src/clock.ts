/** Where the present comes from. Rules take `now` as a parameter; only a `main.ts` names the system clock. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };
