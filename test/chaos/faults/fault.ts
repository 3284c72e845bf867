import type { Load } from '../load.ts';
import type { ChaosPlatform } from '../platform.ts';
import type { Random } from '../random.ts';

/** Where a fault happens: a platform under load. */
export interface Scene {
  platform: ChaosPlatform;
  load: Load;
  random: Random;
}

export interface Findings {
  /** How many processes were ended with kill -9. */
  kills?: number;
  /** What there is to tell about this fault alone. */
  note?: string;
  /** What went otherwise than it must, one line each. */
  wrong?: string[];
}

/** Something that goes wrong while the load is on. Resolves when the cause is gone; the platform may still be ill. */
export type Fault = (scene: Scene) => Promise<Findings>;

/** Time in which a process is ready again, on a machine that is busy with everything else. */
export const READY_MS = 90_000;

/** The faults one after the other, as one. */
export const inTurn =
  (faults: readonly Fault[]): Fault =>
  async (scene) => {
    const all: Findings[] = [];
    for (const fault of faults) all.push(await fault(scene));
    return joined(all);
  };

/** The faults all at once, as one. */
export const atOnce =
  (faults: readonly Fault[]): Fault =>
  async (scene) =>
    joined(await Promise.all(faults.map((fault) => fault(scene))));

function joined(all: readonly Findings[]): Findings {
  const notes = all.flatMap(({ note }) => (note ? [note] : []));
  return {
    kills: all.reduce((sum, { kills = 0 }) => sum + kills, 0),
    note: notes.join(', '),
    wrong: all.flatMap(({ wrong = [] }) => wrong),
  };
}
