import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessName } from './environment.ts';
import type { Readiness } from './kept-process.ts';
import type { ChaosPlatform } from './platform.ts';

const TELL_MS = 15_000;
const POLL_MS = 100;

/**
 * Waits until each process says of itself what is true, which it must do soon; one line for each that does not.
 * @param readiness undefined when nobody may answer
 */
export async function expectReadiness(
  { processes }: ChaosPlatform,
  names: readonly ProcessName[],
  readiness: Readiness | undefined,
): Promise<string[]> {
  for (const deadline = Date.now() + TELL_MS; ; await pause(POLL_MS)) {
    const answers = await Promise.all(names.map((name) => processes[name].readiness()));
    if (answers.every((answer) => answer === readiness)) return [];
    if (Date.now() > deadline)
      return names.flatMap((name, index) =>
        answers[index] === readiness
          ? []
          : [`/readyz of ${name} says ${answers[index]} and not ${readiness}`],
      );
  }
}
