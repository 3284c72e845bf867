import { within } from '@tributary/runtime/deadline.ts';
import type { Logger } from '@tributary/runtime/log.ts';

/** What one look at the queue brought. */
export interface Claimed<T> {
  items: T[];
  /** Whether the look ended at its limit, so that another is worth it at once. */
  isMoreDue: boolean;
}

export interface DispatcherOptions<T> {
  name: string;
  /** Takes at most `limit` due items so that nobody else works on them. */
  claim(limit: number): Promise<Claimed<T>>;
  /** Works on one and records the outcome; must end soon once `stopping` is aborted. */
  work(item: T, stopping: AbortSignal): Promise<void>;
  /** Items under way at once in this process. */
  atOnce: number;
  log: Logger;
}

export interface Dispatcher {
  /** Has the queue looked at now. */
  wake(): void;
  /** Claims nothing more and waits a moment for what is under way; then that is told to stop. */
  stop(): Promise<void>;
}

/** Wakes that get lost, and items that become due by time alone, are found this much later. */
const POLL_MS = 1_000;
const GRACE_MS = 3_000;

/** Keeps a queue in the database moving: claims what is due and works on up to `atOnce` items side by side. */
export function startDispatcher<T>(options: DispatcherOptions<T>): Dispatcher {
  const { name, claim, work, atOnce, log } = options;
  const stopping = new AbortController();
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let alarm = Promise.withResolvers<void>();

  const wake = () => alarm.resolve();

  function start(item: T): void {
    const working = work(item, stopping.signal)
      .catch((error: unknown) => log.error({ err: error, dispatcher: name }, 'dispatched work failed'))
      .finally(() => {
        underWay.delete(working);
        wake();
      });
    underWay.add(working);
  }

  async function look(): Promise<boolean> {
    const free = atOnce - underWay.size;
    if (free === 0) return false;
    const { items, isMoreDue } = await claim(free);
    for (const item of items) start(item);
    return isMoreDue;
  }

  async function run(): Promise<void> {
    while (!isStopped) {
      alarm = Promise.withResolvers();
      const isMoreDue = await look().catch((error: unknown) => {
        log.warn({ err: error, dispatcher: name }, 'could not look for due work');
        return false;
      });
      if (!isMoreDue || underWay.size === atOnce) await within(POLL_MS, alarm.promise, () => undefined);
    }
  }

  const running = run();
  return {
    wake,
    async stop() {
      isStopped = true;
      wake();
      await running;
      await within(GRACE_MS, Promise.all(underWay), () => stopping.abort());
      await Promise.all(underWay);
    },
  };
}
