import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { MissingServer } from './failure.ts';

const pom = join(import.meta.dirname, '../pom.xml');
const store = join(import.meta.dirname, '../../../.servers');

/**
 * The folder with Kafka's jars and the Redis binaries: from Maven Central at the first call, into `.servers` at the
 * root of the repository, under a name that changes with the pom.
 * @throws MissingServer when Maven is not there or cannot download
 */
export function mavenServers(): string {
  const version = createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12);
  const folder = join(store, version);
  if (!existsSync(folder)) download(folder);
  return folder;
}

/** Downloads beside its place and moves it there when complete; of two at once, the first one counts. */
function download(folder: string): void {
  mkdirSync(store, { recursive: true });
  const draft = mkdtempSync(join(store, 'download-'));
  try {
    const args = ['-q', '-B', '-f', pom, 'package', `-Dservers.directory=${draft}`];
    const { status, error, stdout } = spawnSync('mvn', args, { encoding: 'utf8' });
    if (error) throw new MissingServer(`Maven is needed to download it (${error.message})`);
    if (status !== 0) throw new MissingServer(`Maven could not download it: ${firstError(stdout)}`);
    if (!existsSync(folder)) renameSync(draft, folder);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const firstError = (output: string) =>
  output.split('\n').find((line) => line.startsWith('[ERROR]')) ?? output.trim().slice(0, 200);
