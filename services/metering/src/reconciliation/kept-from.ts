/** The start of the month from which on all events are kept: older ones may be gone with their partition. */
export const keptFrom = (now: Date, months: number): Date =>
  new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months));
