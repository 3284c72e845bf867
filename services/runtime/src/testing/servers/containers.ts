import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@tributary/servers/free-ports.ts';
import type { ServerKind, StartedServer } from './shared-server.ts';

const images = { postgres: 'postgres:18', kafka: 'apache/kafka:4.1.0', redis: 'redis:8' } as const;

type Testcontainers = typeof import('testcontainers');

/** Where Docker, or what takes its place, listens. Looking costs nothing; loading the library costs half a second. */
const sockets = [
  '/var/run/docker.sock',
  ...['.docker/run/docker.sock', '.docker/desktop/docker.sock', '.testcontainers.properties'].map((path) =>
    join(homedir(), path),
  ),
  join(process.env.XDG_RUNTIME_DIR ?? '/run', 'docker.sock'),
];

/** How to start each kind of server in a container; undefined where no Docker runs. */
export async function findDocker(): Promise<Record<ServerKind, () => Promise<StartedServer>> | undefined> {
  if (!process.env.DOCKER_HOST && !sockets.some((path) => existsSync(path))) return undefined;
  try {
    const library = await import('testcontainers');
    await library.getContainerRuntimeClient();
    return { postgres: () => postgres(library), kafka: () => kafka(library), redis: () => redis(library) };
  } catch {
    return undefined;
  }
}

async function postgres({ GenericContainer, Wait }: Testcontainers): Promise<StartedServer> {
  const container = await new GenericContainer(images.postgres)
    .withEnvironment({
      POSTGRES_PASSWORD: 'only-for-tests',
      POSTGRES_INITDB_ARGS: '--encoding=UTF8 --locale=C --locale-provider=builtin --builtin-locale=C.UTF-8',
    })
    .withCommand([
      '-c',
      'fsync=off',
      '-c',
      'full_page_writes=off',
      '-c',
      'jit=off',
      '-c',
      'max_connections=300',
    ])
    .withExposedPorts(5432)
    // The image starts the server twice: once to set it up, without a port, and once for good.
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
    .start();
  const address = `${container.getHost()}:${container.getMappedPort(5432)}`;
  return { addresses: [`postgres://postgres:only-for-tests@${address}/postgres`], stop: stopping(container) };
}

async function kafka({ GenericContainer, Wait }: Testcontainers): Promise<StartedServer> {
  // A broker tells its clients where to find it, so the port outside must be known before it starts.
  const [port] = (await freePorts(1)) as [number];
  const container = await new GenericContainer(images.kafka)
    .withEnvironment({
      KAFKA_NODE_ID: '1',
      KAFKA_PROCESS_ROLES: 'broker,controller',
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://localhost:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
      KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS: '0',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
    })
    .withExposedPorts({ container: 9092, host: port })
    .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
    .start();
  return { addresses: [`localhost:${port}`], stop: stopping(container) };
}

async function redis({ GenericContainer, Wait }: Testcontainers): Promise<StartedServer> {
  const container = await new GenericContainer(images.redis)
    .withCommand(['redis-server', '--save', '', '--appendonly', 'no'])
    .withExposedPorts(6379)
    .withWaitStrategy(Wait.forLogMessage(/eady to accept connections/))
    .start();
  return {
    addresses: [`redis://${container.getHost()}:${container.getMappedPort(6379)}`],
    stop: stopping(container),
  };
}

const stopping = (container: { stop(): Promise<unknown> }) => async () => {
  await container.stop();
};
