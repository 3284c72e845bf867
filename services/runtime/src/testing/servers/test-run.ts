import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcess, identityOf, isAlive, type ProcessIdentity } from '@tributary/servers/os-process.ts';

/**
 * One run of the tests. Its servers are shared by all its workers and live in one folder below the temporary one;
 * the process that owns the run is known there, so that what a killed run left behind can be told and ended.
 */
export interface TestRun {
  id: string;
  folder: string;
}

const VARIABLE = 'TRIBUTARY_TEST_RUN';
const PREFIX = 'tributary-test-';
const OWNER = 'owner.json';

/** A keeper needs this long to stop its server in order. */
const keeperEnds = [
  ['SIGTERM', 30_000],
  ['SIGKILL', 5_000],
] as const;

const runOf = (id: string): TestRun => ({ id, folder: join(tmpdir(), PREFIX + id) });

/** The run that a worker belongs to; a program outside of any run begins one of its own. */
export const currentRun = (): TestRun => {
  const id = process.env[VARIABLE];
  return id ? runOf(id) : beginRun();
};

/** Begins a run that ends with this process, after ending what killed runs left behind. */
export function beginRun(): TestRun {
  const run = runOf(randomBytes(5).toString('hex'));
  mkdirSync(run.folder, { mode: 0o755 });
  writeFileSync(join(run.folder, OWNER), JSON.stringify(identityOf(process.pid)));
  process.env[VARIABLE] = run.id;
  return run;
}

/** Stops the run's servers and removes its folder. */
export async function endRun(run: TestRun): Promise<void> {
  await Promise.all(keepersOf(run).map((keeper) => endProcess(keeper, keeperEnds)));
  rmSync(run.folder, { recursive: true, force: true });
}

/** Ends the runs whose owner is gone. */
export async function endAbandonedRuns(): Promise<void> {
  const names = readdirSync(tmpdir()).filter((name) => name.startsWith(PREFIX));
  const runs = names.map((name) => runOf(name.slice(PREFIX.length)));
  await Promise.all(runs.filter(isAbandoned).map(endRun));
}

/** The process a run belongs to; undefined while that is not known. */
export const ownerOf = (run: TestRun): ProcessIdentity | undefined => readIdentity(join(run.folder, OWNER));

function isAbandoned(run: TestRun): boolean {
  const stat = statSync(run.folder, { throwIfNoEntry: false });
  if (!stat || stat.uid !== process.getuid?.()) return false;
  const owner = ownerOf(run);
  return owner !== undefined && !isAlive(owner);
}

function keepersOf(run: TestRun): ProcessIdentity[] {
  const files = readdirSync(run.folder).filter((name) => name.endsWith('.keeper'));
  return files
    .map((name) => readIdentity(join(run.folder, name)))
    .filter((identity) => identity !== undefined);
}

function readIdentity(path: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
