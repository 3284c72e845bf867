import { setTimeout as pause } from 'node:timers/promises';
import type { ProcessName } from '../environment.ts';
import { type Fault, READY_MS } from './fault.ts';

/** Longest time between a process being ready and its next end. */
const MOST_CALM_MS = 2_500;

/** kill -9 at random moments; the process is started again and killed again soon after it is ready. */
export const killProcess =
  (name: ProcessName, times: number): Fault =>
  async ({ platform: { processes }, random }) => {
    const recoveriesMs: number[] = [];
    for (let kills = 0; kills < times; kills += 1) {
      await pause(random.integer(0, MOST_CALM_MS));
      const killedAt = Date.now();
      await processes[name].kill();
      await processes[name].ready(READY_MS);
      recoveriesMs.push(Date.now() - killedAt);
    }
    return { kills: times, note: `ready again within ${(Math.max(...recoveriesMs) / 1000).toFixed(1)} s` };
  };

/** The same while a twin stands by, which goes on with the requests, the messages and the jobs. */
export const killOneOfTwo =
  (name: ProcessName, times: number): Fault =>
  async (scene) => {
    const twin = await scene.platform.double(name);
    const findings = await killProcess(name, times)(scene);
    const exitCode = await scene.platform.leave(twin);
    return { ...findings, wrong: exitCode === 0 ? [] : [`${name} ended with ${exitCode} after SIGTERM`] };
  };
