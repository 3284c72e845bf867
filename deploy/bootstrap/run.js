/**
 * Entry of `npm start`, `npm test` and the other root scripts: `node deploy/bootstrap/run.js <task> [arguments]`.
 *
 * Plain JavaScript for Node 20, because it runs before anything is installed and on machines whose own Node cannot
 * run TypeScript. It installs what is missing, finds a Node that can (see node-binary.js) and hands the task to it.
 */
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.js';
import { installIfNeeded } from './install.js';
import { findNode } from './node-binary.js';
import { runUntilExit } from './process.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=TimeoutNegativeWarning'];
const turbo = [
  'node_modules/turbo/bin/turbo',
  'run',
  '--output-logs=errors-only',
  '--log-prefix=none',
  '--continue=always',
];

/** Node arguments of every task, relative to the root of the repository. */
const tasks = {
  start: [...quiet, '--import=./deploy/bootstrap/end-with-parent.js', 'deploy/embedded/src/main.ts'],
  demo: [...quiet, 'test/demo/main.ts'],
  webhooks: [...quiet, 'test/demo/webhooks.ts'],
  test: [...quiet, '--experimental-vm-modules', 'node_modules/jest/bin/jest.js'],
  chaos: [...quiet, 'test/chaos/main.ts'],
  'load:gateway': [...quiet, 'test/load/gateway.ts'],
  'load:ingest': [...quiet, 'test/load/ingest.ts'],
  'load:lists': [...quiet, 'test/load/lists.ts'],
  'load:story': [...quiet, 'test/load/story.ts'],
  reconcile: [...quiet, 'deploy/reconcile/main.ts'],
  check: [...turbo, 'types', 'lint', 'boundaries', 'generated', 'kustomize'],
  generate: [...quiet, 'deploy/bootstrap/generate.ts'],
};

try {
  const [name, ...rest] = process.argv.slice(2);
  const task = Object.hasOwn(tasks, name ?? '') ? tasks[name] : undefined;
  if (!task) throw new Failure(`Unknown task "${name ?? ''}"; there are: ${Object.keys(tasks).join(', ')}.`);
  await installIfNeeded(root);
  const node = findNode(root);
  process.exitCode = await runUntilExit(node, [...task, ...rest], root, { isServer: name === 'start' });
} catch (error) {
  if (!(error instanceof Failure)) throw error;
  console.error(`tributary: ${error.message}`);
  process.exitCode = 1;
}
