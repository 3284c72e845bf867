/** ISO 8601 of milliseconds since the epoch. What is written one after the other mostly bears the same instant. */
export function instantText(ms: number): string {
  if (ms !== latest.ms) latest = { ms, text: new Date(ms).toISOString() };
  return latest.text;
}

let latest = { ms: 0, text: new Date(0).toISOString() };
