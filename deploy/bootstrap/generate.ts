/**
 * Runs every generator. With `--check` they write nothing, say what is stale, and one that is not up to date makes the
 * whole fail.
 */
import { spawnSync } from 'node:child_process';

/** In this order: what a service's routes say can only be read once the gRPC code they import is there. */
const generators = ['proto/generate.ts', 'proto/events/generate-asyncapi.ts', 'deploy/generate/routes.ts'];

for (const generator of generators) {
  const args = ['--disable-warning=ExperimentalWarning', generator, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
}
