import { startGateway } from '@tributary/gateway/main.ts';
import { ingestRoutes } from '@tributary/metering/ingest/routes.ts';
import { startMetering } from '@tributary/metering/main.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { systemClock } from '@tributary/runtime/clock.ts';
import { httpApplication, listen, portOf } from '@tributary/runtime/http/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import { inProcessTransport } from '@tributary/runtime/messaging/in-process.ts';

/** One process of the ingest's load test; tells its port, and its processor time when asked. */

export const SECRET = 'a secret that only load tests know, 32+ characters';
export const ORGANIZATION = '0b7cb0c6-52a9-4b8c-9f5d-0c2f3f6f7a10';
const PRINCIPAL: Principal = {
  kind: 'organization',
  scheme: 'oat',
  organization_id: ORGANIZATION,
  scopes: ['events:write', 'events:read', 'meters:write', 'customer_meters:read'],
  token_id: '6f0e1f9e-6b1a-4b7e-8d0f-0f0c5d6f7a11',
};

const shared = {
  port: 0,
  publicUrl: 'http://127.0.0.1',
  internalSecret: SECRET,
  environment: 'production',
} as const;

/** Metering as it is, with nobody to tell. */
async function metering(databaseUrl: string): Promise<number> {
  const transport = inProcessTransport();
  const nobody = '127.0.0.1:1';
  const running = await startMetering(
    {
      ...shared,
      logLevel: 'error',
      otelExporterOtlpEndpoint: undefined,
      grpcPort: 0,
      databaseUrl,
      databasePoolSize: 20,
      commerceGrpc: nobody,
      catalogGrpc: nobody,
    },
    { transport },
  );
  transport.open();
  return running.port;
}

/** The floor: the same route behind the same checks, which reads the body and does nothing with it. */
async function floor(): Promise<number> {
  const [ingest] = ingestRoutes;
  const application = httpApplication({
    service: 'metering',
    routes: [{ ...ingest!, handle: async () => ({ inserted: 0, duplicates: 0 }) }],
    app: undefined as never,
    db: undefined as never,
    secret: SECRET,
    now: systemClock.now,
    log: createLog({ service: 'floor', level: 'error' }),
  });
  return portOf(await listen(application, 0, '127.0.0.1'));
}

/** The gateway as it is, knowing one token. */
async function gateway(servicePort: string): Promise<number> {
  const running = await startGateway(
    {
      ...shared,
      listenHost: '127.0.0.1',
      services: { metering: `http://127.0.0.1:${servicePort}` },
      redisUrl: undefined,
      corsOrigins: [],
      trustedProxies: 0,
      rateLimitFactor: 1_000_000,
      drainMs: 0,
    },
    {
      log: createLog({ service: 'gateway', level: 'error' }),
      introspect: async () => ({ principal: PRINCIPAL }),
    },
  );
  return running.port;
}

const roles: Record<string, (argument: string) => Promise<number>> = { metering, floor, gateway };

if (process.send) {
  const [role, argument] = process.argv.slice(2);
  const port = await roles[role!]!(argument!);
  process.on('message', () => process.send!(process.cpuUsage()));
  process.on('disconnect', () => process.exit());
  process.send({ port });
}
