import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { Failure } from './failure.js';

/** What each signal to this process becomes for the program: a terminal that closes is to end it in order, too. */
const passedOn = { SIGINT: 'SIGINT', SIGTERM: 'SIGTERM', SIGHUP: 'SIGTERM' };
const launcherPollMs = 500;

/**
 * Runs one program to its end, passing signals on, and resolves to the exit code (128 + number when a signal ended
 * it). The chosen Node comes first on the PATH, so that programs started below use it as well.
 * @param isServer it runs in a session of its own, where Ctrl-C at the terminal reaches it once, through here, and it
 * is told when this process is gone (see end-with-parent.js)
 */
export function runUntilExit(node, args, root, { isServer }) {
  const path = [dirname(node), join(root, 'node_modules', '.bin'), process.env.PATH].join(delimiter);
  const child = spawn(node, args, {
    cwd: root,
    detached: isServer,
    stdio: isServer ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
    env: { ...process.env, PATH: path, TURBO_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1' },
  });
  const unwatch = whenLauncherIsGone(() => child.kill('SIGTERM'));
  for (const [signal, sent] of Object.entries(passedOn)) {
    process.on(signal, () => {
      // The launcher may end of the same signal; that is no reason to send a second one, which would cut the end short.
      unwatch();
      child.kill(sent);
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new Failure(`${node} cannot be started (${error.message})`)));
    child.on('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
}

/**
 * npm runs a script through a shell that passes no signal on: a SIGTERM or SIGKILL to npm would leave this process
 * and all it started behind. So, under npm only, watch the shell and npm itself.
 */
function whenLauncherIsGone(stop) {
  if (!process.env.npm_lifecycle_event) return () => {};
  const shell = process.ppid;
  const npm = parentOf(shell);
  const timer = setInterval(() => {
    if (process.ppid === shell && isAlive(npm)) return;
    clearInterval(timer);
    stop();
  }, launcherPollMs);
  timer.unref();
  return () => clearInterval(timer);
}

function parentOf(pid) {
  try {
    // The program's name, in parentheses, may hold blanks; the fields after it do not: state, parent, …
    const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }));
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
