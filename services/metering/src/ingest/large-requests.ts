import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { errorOf, type Failure } from './failure.ts';
import type { IngestAnswer, IngestRequest } from './request.ts';

/** To the thread; without a request it is to end. */
export interface Task {
  id: number;
  request: IngestRequest;
}

/** Back from it. */
export interface Done {
  id: number;
  answer?: IngestAnswer;
  failure?: Failure;
}

interface Pending {
  resolve(answer: IngestAnswer): void;
  reject(error: Error): void;
}

/**
 * Has large requests read and stored by a thread of their own: reading one takes from milliseconds to a second of
 * processor time, which everybody else who is served by this process would wait for. The thread is started by the first
 * of them, and anew if it breaks.
 */
export function largeRequests(databaseUrl: string) {
  let worker: Worker | undefined;
  let sent = 0;
  const pending = new Map<number, Pending>();

  function start(): Worker {
    const started = new Worker(new URL('./thread.ts', import.meta.url), { workerData: databaseUrl });
    started.on('message', ({ id, answer, failure }: Done) => {
      const one = pending.get(id)!;
      pending.delete(id);
      if (pending.size === 0) started.unref();
      if (answer) one.resolve(answer);
      else one.reject(errorOf(failure!));
    });
    let cause: unknown;
    started.on('error', (error) => {
      cause = error;
    });
    started.on('exit', () => {
      worker = undefined;
      for (const { reject } of pending.values())
        reject(new Error('the thread of large requests ended', { cause }));
      pending.clear();
    });
    return started;
  }

  return {
    take: (request: IngestRequest): Promise<IngestAnswer> =>
      new Promise((resolve, reject) => {
        worker ??= start();
        worker.ref();
        sent += 1;
        pending.set(sent, { resolve, reject });
        worker.postMessage({ id: sent, request } satisfies Task);
      }),
    async close(): Promise<void> {
      if (!worker) return;
      worker.ref();
      const ended = once(worker, 'exit');
      worker.postMessage('end');
      await ended;
    },
  };
}
