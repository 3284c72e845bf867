import { within } from '@tributary/runtime/deadline.ts';
import type { Logger } from '@tributary/runtime/log.ts';
import pg from 'pg';

const RECONNECT_MS = 2_000;

/**
 * Calls back on every NOTIFY of a channel, over a connection of its own that is made again whenever it is lost. Each
 * callback is also called after a connection is made: what was told meanwhile is gone.
 * @returns a function that ends it
 */
export function listen(
  databaseUrl: string,
  channels: Readonly<Record<string, () => void>>,
  log: Logger,
): () => Promise<void> {
  const stopped = Promise.withResolvers<void>();
  let isStopped = false;

  async function run(): Promise<void> {
    while (!isStopped) {
      const client = new pg.Client({
        connectionString: databaseUrl,
        application_name: 'notifications-listen',
        keepAlive: true,
      });
      const lost = new Promise<void>((resolve) => client.once('end', resolve));
      client.on('error', (error) => log.warn({ err: error }, 'lost the connection that listens'));
      client.on('notification', ({ channel }) => channels[channel]?.());
      try {
        await client.connect();
        for (const channel of Object.keys(channels)) await client.query(`listen ${channel}`);
        for (const callBack of Object.values(channels)) callBack();
        await Promise.race([lost, stopped.promise]);
      } catch (error) {
        log.warn({ err: error }, 'cannot listen to the database');
      }
      await client.end().catch(() => undefined);
      if (!isStopped) await within(RECONNECT_MS, stopped.promise, () => undefined);
    }
  }

  const running = run();
  return async () => {
    isStopped = true;
    stopped.resolve();
    await running;
  };
}
