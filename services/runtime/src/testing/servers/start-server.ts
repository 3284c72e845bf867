import { join } from 'node:path';
import { startKafka } from '@tributary/servers/kafka.ts';
import { openCluster } from '@tributary/servers/postgres-cluster.ts';
import { startPostgres } from '@tributary/servers/postgres-server.ts';
import { startRedis } from '@tributary/servers/redis.ts';
import { findDocker } from './containers.ts';
import type { ServerKind, StartedServer } from './shared-server.ts';

/**
 * Starts a server of this kind in `folder`: in a container where Docker runs, else from the machine's own programs.
 * @throws MissingServer when this machine can have neither
 */
export async function startServer(kind: ServerKind, folder: string): Promise<StartedServer> {
  const docker = await findDocker();
  if (!docker) return local[kind](folder);
  return docker[kind]().catch((error: unknown) => {
    // The image may not be here and not to be had, offline for example.
    console.error('no container:', error);
    return local[kind](folder);
  });
}

const local: Record<ServerKind, (folder: string) => Promise<StartedServer>> = {
  async postgres(folder) {
    const password = 'only-for-tests';
    const server = await startPostgres(openCluster(join(folder, 'data')), {
      logFile: join(folder, 'server.log'),
      newSuperuserPassword: password,
      // Nothing of this outlives the run, so nothing has to reach the disk.
      settings: {
        fsync: 'off',
        synchronous_commit: 'off',
        full_page_writes: 'off',
        jit: 'off',
        max_connections: '300',
      },
    });
    return {
      addresses: [`postgres://postgres:${password}@127.0.0.1:${server.port}/postgres`],
      stop: server.stop,
    };
  },
  async kafka(folder) {
    const server = await startKafka(folder);
    return { addresses: [server.broker], stop: server.stop };
  },
  async redis(folder) {
    const server = await startRedis(folder);
    return { addresses: [server.url], stop: server.stop };
  },
};
