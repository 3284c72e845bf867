import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { MissingServer, ServerFailure } from './failure.ts';
import { freePorts } from './free-ports.ts';
import { mavenServers } from './maven.ts';
import { endProcess, identityOf, type ProcessIdentity } from './os-process.ts';

export interface KafkaServer {
  /** `host:port` of its only broker. */
  broker: string;
  stop(): Promise<void>;
  /** Starts again on the same port with the same data, once stopped or killed. */
  restart(): Promise<void>;
  /** Ends it at once, in the middle of whatever it does. */
  kill(): Promise<void>;
}

const PORT_ATTEMPTS = 3;
const READY_TIMEOUT_MS = 60_000;
const READY_POLL_MS = 20;

const shutdown = [
  ['SIGTERM', 10_000],
  ['SIGKILL', 5_000],
] as const;
const atOnce = [['SIGKILL', 5_000]] as const;

/** A small heap and the cheapest collector: one broker for tests, started often and used lightly. */
const javaOptions = ['-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/**
 * Starts Apache Kafka (one process, broker and controller, loopback only) with its data in `folder`, and resolves
 * once the broker takes connections.
 * @throws MissingServer without Java 17, or without Maven at the first start
 */
export async function startKafka(folder: string): Promise<KafkaServer> {
  const java = findJava();
  const classPath = join(mavenServers(), 'kafka', '*');
  for (let attempt = 1; ; attempt += 1) {
    const place = join(folder, `kafka-${attempt}`);
    mkdirSync(place, { recursive: true });
    try {
      return await start(java, classPath, place);
    } catch (error) {
      const isRace = /Address already in use/.test((error as Error).message);
      if (!isRace || attempt === PORT_ATTEMPTS) throw error;
    }
  }
}

async function start(java: string, classPath: string, place: string): Promise<KafkaServer> {
  const [broker, controller] = (await freePorts(2)) as [number, number];
  const configuration = join(place, 'server.properties');
  writeFileSync(configuration, properties(broker, controller, join(place, 'data')));
  const id = randomBytes(16).toString('base64url');
  const storageTool = [...javaOptions, '-cp', classPath, 'kafka.tools.StorageTool'];
  // One time in 64 the id begins with a dash: as a word of its own it would be taken for an option.
  const format = [...storageTool, 'format', '--standalone', `--cluster-id=${id}`, '-c', configuration];
  const formatted = spawnSync(java, format, { encoding: 'utf8' });
  if (formatted.status !== 0)
    throw new ServerFailure(`Kafka's storage: ${formatted.stdout}${formatted.stderr}`);
  const launch = () => run(java, runArguments(classPath, configuration), broker, join(place, 'kafka.log'));
  let identity = await launch();
  return {
    broker: `127.0.0.1:${broker}`,
    stop: () => endProcess(identity, shutdown),
    kill: () => endProcess(identity, atOnce),
    async restart() {
      identity = await launch();
    },
  };
}

const runArguments = (classPath: string, configuration: string) => [
  ...javaOptions,
  '-cp',
  classPath,
  'kafka.Kafka',
  configuration,
];

/** Resolves once the broker takes connections. */
async function run(java: string, args: string[], broker: number, logFile: string): Promise<ProcessIdentity> {
  const output = openSync(logFile, 'w');
  const child = spawn(java, args, { detached: true, stdio: ['ignore', output, output] });
  closeSync(output);
  const identity = identityOf(child.pid!)!;
  for (const deadline = Date.now() + READY_TIMEOUT_MS; !(await accepts(broker)); await delay(READY_POLL_MS)) {
    if (child.exitCode !== null)
      throw new ServerFailure(`Kafka ended: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
    if (Date.now() < deadline) continue;
    await endProcess(identity, shutdown);
    throw new ServerFailure(
      `Kafka was not ready within ${READY_TIMEOUT_MS / 1000} s; its output is in ${logFile}`,
    );
  }
  child.unref();
  return identity;
}

function findJava(): string {
  const java = process.env.JAVA_HOME ? join(process.env.JAVA_HOME, 'bin', 'java') : 'java';
  const { stderr, error } = spawnSync(java, ['-version'], { encoding: 'utf8' });
  const major = Number(/version "(\d+)/.exec(stderr ?? '')?.[1]);
  if (error || !(major >= 17)) throw new MissingServer('Java 17 or later is needed to run it');
  return java;
}

const properties = (broker: number, controller: number, data: string) => `
process.roles=broker,controller
node.id=1
controller.quorum.bootstrap.servers=127.0.0.1:${controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:${broker},CONTROLLER://127.0.0.1:${controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${broker}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs=${data}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
auto.create.topics.enable=false
`;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ host: '127.0.0.1', port });
    const done = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => done(true)).once('error', () => done(false));
  });
}
