import { setTimeout as pause } from 'node:timers/promises';

const EVERY_MS = 25;

/** Waits until `expectation` holds, asking again every 25 ms; after `withinMs` its last failure is thrown. */
export async function eventually<T>(expectation: () => Promise<T>, withinMs = 15_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    try {
      return await expectation();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await pause(EVERY_MS);
    }
  }
}
