import type { ProcessName } from '../environment.ts';
import type { Fault } from './fault.ts';

/** Every process is replaced as a rolling update does; nobody may notice. */
export const rollingRestart =
  (names: readonly ProcessName[]): Fault =>
  async ({ platform, load: { attempts } }) => {
    const before = { ...attempts };
    const wrong: string[] = [];
    for (const name of names) {
      const { exitCode } = await platform.replace(name);
      if (exitCode !== 0) wrong.push(`${name} ended with ${exitCode} after SIGTERM`);
    }
    const failed = attempts.failed - before.failed;
    if (failed > 0) wrong.push(...attempts.failures.slice(-failed));
    return { note: `${failed} of ${attempts.sent - before.sent} requests failed`, wrong };
  };
