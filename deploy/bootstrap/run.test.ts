import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { hasEnded, identityOf } from '@tributary/servers/os-process.ts';

const folder = import.meta.dirname;
const root = join(folder, '../..');

/** Prints its number, then waits; SIGTERM ends it with 7. */
const program =
  'process.on("SIGTERM", () => process.exit(7)); console.log(process.pid); setInterval(() => {}, 1000);';

/** A process that runs the program above as a task is run. */
function startTask(): ChildProcess {
  const starter = `
    import { runUntilExit } from ${JSON.stringify(join(folder, 'process.js'))};
    const preload = '--import=./deploy/bootstrap/end-with-parent.js';
    const args = [preload, '-e', ${JSON.stringify(program)}];
    process.exitCode = await runUntilExit(process.execPath, args, ${JSON.stringify(root)}, { isServer: true });
  `;
  return spawn(process.execPath, ['--input-type=module', '-e', starter], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function startedBy(task: ChildProcess) {
  const [pid] = await once(task.stdout!, 'data');
  return identityOf(Number(pid))!;
}

test('an unknown task is named in one line, with those there are', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(folder, 'run.js'), 'strat'], {
    encoding: 'utf8',
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^tributary: Unknown task "strat"; there are: start, [a-z:, ]+\.\n$/);
});

test('a signal reaches the program, and its exit code comes back', async () => {
  const task = startTask();
  await startedBy(task);
  task.kill('SIGTERM');
  const [code] = await once(task, 'exit');
  expect(code).toBe(7);
});

test('the program ends when what started it is killed', async () => {
  const task = startTask();
  const running = await startedBy(task);
  task.kill('SIGKILL');
  expect(await hasEnded(running, 10_000)).toBe(true);
});
