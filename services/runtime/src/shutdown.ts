import { within } from './deadline.ts';
import { createLog, type Logger } from './log.ts';
import { StartFailure } from './start-failure.ts';

/** Something started that can be stopped. */
export interface Running {
  /** Resolves when it has stopped. */
  stop(): Promise<void>;
}

/** What has been started so far, to be stopped in reverse order. */
export interface Closers extends Running {
  /** Adds the way to stop what was just started. */
  add(name: string, close: () => unknown): void;
  /** True from the first call of `stop`. */
  isStopping(): boolean;
}

/** Within the 30 s that Kubernetes grants between SIGTERM and SIGKILL. */
const DEFAULT_TIMEOUT_MS = 25_000;

/**
 * An empty stack of closers. `stop` runs them one after the other, the last added first; one that fails is logged
 * and passed over; when the time for all is up, it rejects with the name of the one that hangs. Further calls share
 * the first one's outcome. What is added later is closed at once.
 */
export function closers(log: Logger, timeoutMs: number = DEFAULT_TIMEOUT_MS): Closers {
  const stack: { name: string; close: () => unknown }[] = [];
  let current = '';
  let stopping: Promise<void> | undefined;
  let isClosed = false;

  async function closeAll(): Promise<void> {
    for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
      current = top.name;
      try {
        await top.close();
      } catch (error) {
        log.error({ err: error, part: top.name }, 'could not stop a part');
      }
    }
    isClosed = true;
  }

  return {
    add(name, close) {
      stack.push({ name, close });
      if (isClosed) void closeAll();
    },
    stop() {
      stopping ??= within(timeoutMs, closeAll(), () => {
        throw new Error(`still stopping ${current} after ${timeoutMs} ms`);
      });
      return stopping;
    },
    isStopping: () => stopping !== undefined,
  };
}

/**
 * Starts something made of parts: `start` adds a closer for each as it goes. If it fails half-way, what was started
 * is stopped again before the error is passed on.
 */
export async function starting<T>(
  log: Logger,
  start: (closing: Closers) => Promise<T>,
): Promise<T & Running> {
  const closing = closers(log);
  try {
    return { ...(await start(closing)), stop: closing.stop };
  } catch (error) {
    await closing.stop().catch((hanging: unknown) => log.error({ err: hanging }, 'could not stop in time'));
    throw error;
  }
}

/**
 * Runs a `main.ts`: starts, then waits. SIGTERM or SIGINT stops what was started, also half-way through the start,
 * and exits 0, or 1 if that did not end in time; a second signal exits at once. A rejection or exception nobody
 * caught is logged and ends the process with 1: its state is unknown, and what matters is in the database.
 */
export async function runMain(
  service: string,
  start: (closing: Closers) => Promise<unknown>,
  timeoutMs: number = DEFAULT_TIMEOUT_MS,
): Promise<void> {
  const log = createLog({ service, level: 'info' });
  const closing = closers(log, timeoutMs);
  const die = (error: unknown, message: string): never => {
    log.fatal({ err: error }, message);
    process.exit(1);
  };
  process.on('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  const onSignal = (signal: NodeJS.Signals) => {
    if (closing.isStopping()) process.exit(1);
    log.info({ signal }, 'stopping');
    closing.stop().then(
      () => process.exit(0),
      (error: unknown) => die(error, 'could not stop in time'),
    );
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  try {
    await start(closing);
  } catch (error) {
    // A start interrupted by a signal fails because its parts are gone; the signal decides how the process ends.
    if (closing.isStopping()) return;
    await closing.stop().catch(() => undefined);
    const reason = reasonNotToStart(error);
    if (reason === undefined) die(error, 'could not start');
    process.stderr.write(`${service}: ${reason}\n`);
    process.exit(1);
  }
}

/** One line for what an operator can mend; undefined for a bug, which needs its stack. */
export function reasonNotToStart(error: unknown): string | undefined {
  if (error instanceof StartFailure) return error.message;
  const { code, message, port, path } = error as NodeJS.ErrnoException & { port?: number };
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use`;
    case 'EACCES':
      return port === undefined ? `no permission for ${path}` : `no permission to listen on port ${port}`;
    case 'ENOSPC':
      return 'no space is left on the disk';
    case 'ECONNREFUSED':
    case 'ENOTFOUND':
    case 'ETIMEDOUT':
      return message || `a server it needs cannot be reached (${code})`;
    default:
      return undefined;
  }
}
