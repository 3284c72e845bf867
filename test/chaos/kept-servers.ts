import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Report } from './servers.ts';

type Addresses = Omit<Extract<Report, { kind: 'ready' }>, 'kind'>;

export interface KeptServers extends Addresses {
  kill(server: Order['server']): Promise<void>;
  stop(server: Order['server']): Promise<void>;
  start(server: Order['server']): Promise<void>;
  /** Ends all of them and removes their data. */
  end(): Promise<void>;
}

const START_MS = 120_000;

/**
 * PostgreSQL, Kafka and Redis in `folder`, kept by a process that ends them when this one is gone.
 * @throws Error when one of them cannot be had
 */
export async function keepServers(folder: string): Promise<KeptServers> {
  const program = join(import.meta.dirname, 'servers.ts');
  const keeper = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, folder], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(keeper, 'exit');
  const first = AbortSignal.timeout(START_MS);
  const [report] = (await Promise.race([
    once(keeper, 'message', { signal: first }),
    ended.then(() => [{ kind: 'failed', message: 'the servers ended' }]),
  ])) as [Report];
  if (report.kind !== 'ready') {
    if (keeper.connected) keeper.disconnect();
    throw new Error(report.kind === 'failed' ? report.message : 'the servers did not start');
  }
  const waiting = new Map<number, (report: { failure?: string }) => void>();
  keeper.on('message', (message: Report) => {
    if (message.kind === 'done') waiting.get(message.number)?.(message);
  });
  let number = 0;
  const order = (server: Order['server'], act: Order['act']) =>
    new Promise<void>((resolve, reject) => {
      number += 1;
      waiting.set(number, ({ failure }) => (failure ? reject(new Error(failure)) : resolve()));
      keeper.send({ number, server, act } satisfies Order);
    });
  const { kind: _, ...addresses } = report;
  return {
    ...addresses,
    kill: (server) => order(server, 'kill'),
    stop: (server) => order(server, 'stop'),
    start: (server) => order(server, 'start'),
    async end() {
      if (keeper.connected) keeper.disconnect();
      await ended;
    },
  };
}
