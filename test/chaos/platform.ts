import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databasesOn } from '@tributary/embedded/databases.ts';
import { type ServiceName, serviceNames } from '@tributary/embedded/service-names.ts';
import {
  createFirstOrganization,
  type FirstCredentials,
} from '@tributary/identity/bootstrap/create-first-organization.flow.ts';
import { startIdentity } from '@tributary/identity/main.ts';
import { type Transport, TransportClosed } from '@tributary/runtime/messaging/message.ts';
import { freePorts } from '@tributary/servers/free-ports.ts';
import { type Balancer, startBalancer } from './balancer.ts';
import { environmentOf, type ProcessName, processNames, type Setting } from './environment.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { type KeptServers, keepServers } from './kept-servers.ts';

export interface ChaosPlatform {
  baseUrl: string;
  internalSecret: string;
  first: FirstCredentials;
  servers: KeptServers;
  databaseUrls: Readonly<Record<ServiceName, string>>;
  /** The instance of each process that has run the longest. */
  processes: Record<ProcessName, KeptProcess>;
  /** What the processes print, one file each. */
  logs: string;
  /** Starts one more instance beside the first. */
  double(name: ProcessName): Promise<KeptProcess>;
  /** Stops an instance as a rolling update does; resolves with its exit code. */
  leave(instance: KeptProcess): Promise<number | null>;
  /** Replaces an instance as a rolling update does: the next one is ready before the former is told to stop. */
  replace(name: ProcessName): Promise<{ exitCode: number | null }>;
  /** Resolves when every process is ready. */
  ready(withinMs: number): Promise<void>;
  stop(): Promise<void>;
}

const START_MS = 90_000;
/** Time in which those who send connections have seen that an instance is about to stop. */
const NOTICE_MS = 500;

/**
 * Every service and the gateway in a process of its own, on servers of their own. Everything ends with this process.
 */
export async function startChaosPlatform(): Promise<ChaosPlatform> {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-chaos-'));
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  const servers = await keepServers(join(folder, 'servers'));
  const instances: KeptProcess[] = [];
  const balancers: Balancer[] = [];
  const stop = async () => {
    await Promise.all(instances.map((instance) => instance.stop()));
    await Promise.all(balancers.map((balancer) => balancer.stop()));
    await servers.end();
    if (!process.env.CHAOS_KEEP_LOGS) rmSync(folder, { recursive: true, force: true });
  };
  try {
    return await startOn(servers, { folder, logs, instances, balancers, stop });
  } catch (error) {
    await stop();
    throw error;
  }
}

interface Frame {
  folder: string;
  logs: string;
  instances: KeptProcess[];
  balancers: Balancer[];
  stop(): Promise<void>;
}

async function startOn(servers: KeptServers, frame: Frame): Promise<ChaosPlatform> {
  const { folder, logs, instances, balancers } = frame;
  const databaseUrls = (await databasesOn(servers.postgresUrl)).urls;
  const own = await portsFor(processNames);
  const fronts = {} as Record<ProcessName, { http: Balancer; grpc: Balancer }>;
  for (const name of processNames) {
    const http = await startBalancer(own[name].port);
    const grpc = await startBalancer(own[name].grpcPort);
    balancers.push(http, grpc);
    fronts[name] = { http, grpc };
  }
  const setting: Setting = {
    folder,
    servers,
    databaseUrls,
    internalSecret: randomBytes(32).toString('hex'),
    tokenSecret: randomBytes(32).toString('hex'),
    baseUrl: `http://127.0.0.1:${fronts.gateway.http.port}`,
    called: Object.fromEntries(
      serviceNames.map((name) => [name, { port: fronts[name].http.port, grpcPort: fronts[name].grpc.port }]),
    ) as Setting['called'],
  };
  const first = await firstOrganization(setting);
  const grpcPorts = new Map<KeptProcess, number>();
  const launch = (name: ProcessName, ports: { port: number; grpcPort: number }) => {
    const instance = keepProcess({
      name,
      program: name === 'gateway' ? 'gateway/src/main.ts' : `services/${name}/src/main.ts`,
      environment: environmentOf(name, ports, setting),
      port: ports.port,
      logFile: join(logs, `${name}.log`),
    });
    instances.push(instance);
    grpcPorts.set(instance, ports.grpcPort);
    return instance;
  };
  const processes = Object.fromEntries(
    processNames.map((name) => [name, launch(name, own[name])]),
  ) as ChaosPlatform['processes'];
  const ready = async (withinMs: number) => {
    await Promise.all(Object.values(processes).map((each) => each.ready(withinMs)));
  };
  const double = async (name: ProcessName) => {
    const ports = (await portsFor([name]))[name];
    const instance = launch(name, ports);
    await instance.ready(START_MS);
    fronts[name].http.add(ports.port);
    fronts[name].grpc.add(ports.grpcPort);
    return instance;
  };
  const leave = async (instance: KeptProcess) => {
    const { http, grpc } = fronts[instance.name as ProcessName];
    http.remove(instance.port);
    grpc.remove(grpcPorts.get(instance)!);
    await new Promise((resolve) => setTimeout(resolve, NOTICE_MS));
    return instance.stop();
  };
  await ready(START_MS);
  return {
    ...setting,
    first,
    logs,
    processes,
    ready,
    double,
    leave,
    async replace(name) {
      const former = processes[name];
      processes[name] = await double(name);
      return { exitCode: await leave(former) };
    },
    stop: frame.stop,
  };
}

async function portsFor<N extends string>(names: readonly N[]) {
  const ports = await freePorts(names.length * 2);
  return Object.fromEntries(
    names.map((name, index) => [name, { port: ports[index * 2]!, grpcPort: ports[index * 2 + 1]! }]),
  ) as Record<N, { port: number; grpcPort: number }>;
}

/** Takes nothing, so that every message stays in the outbox until the real process starts. */
const noTransport: Transport = {
  publish: () => Promise.reject(new TransportClosed()),
  subscribe: async () => undefined,
  ready: async () => undefined,
  stop: async () => undefined,
};

async function firstOrganization(setting: Setting): Promise<FirstCredentials> {
  const identity = await startIdentity(
    {
      port: 0,
      grpcPort: 0,
      databaseUrl: setting.databaseUrls.identity,
      databasePoolSize: 2,
      publicUrl: setting.baseUrl,
      internalSecret: setting.internalSecret,
      tokenSecret: setting.tokenSecret,
      environment: 'sandbox',
      logLevel: 'error',
      otelExporterOtlpEndpoint: undefined,
    },
    { transport: noTransport },
  );
  try {
    return await createFirstOrganization(identity.app);
  } finally {
    await identity.stop();
  }
}
