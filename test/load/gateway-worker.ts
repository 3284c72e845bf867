import { createServer, type RequestListener } from 'node:http';
import { startGateway } from '@tributary/gateway/main.ts';
import type { GatewayRoute } from '@tributary/gateway/route-table.ts';
import { merchant } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { systemClock } from '@tributary/runtime/clock.ts';
import { authorize } from '@tributary/runtime/http/authorize.ts';
import { INTERNAL_TOKEN_HEADER, principalVerifier } from '@tributary/runtime/http/internal-token.ts';
import { portOf } from '@tributary/runtime/http/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

/** One process of the gateway's load test; tells its port, and its processor time when asked. */

export const SECRET = 'a secret that only load tests know, 32+ characters';
export const PRINCIPAL: Principal = {
  kind: 'organization',
  scheme: 'oat',
  organization_id: '0b7cb0c6-52a9-4b8c-9f5d-0c2f3f6f7a10',
  scopes: ['orders:read', 'products:read', 'customers:read'],
  token_id: '6f0e1f9e-6b1a-4b7e-8d0f-0f0c5d6f7a11',
};

const access = merchant('orders:read');
const log = createLog({ service: 'load', level: 'info' });

async function listening(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return portOf(server);
}

const ORDER = Buffer.from(
  JSON.stringify({
    id: '3f0c2a52-5b7a-4f43-9a54-0f6a1b2c3d4e',
    lines: Array.from({ length: 8 }, (_, index) => ({ label: `Line number ${index}`, amount: index * 100 })),
  }),
);

/** The least a service can do: check who asks and answer a small record. What is measured is the way to it. */
function service(): Promise<number> {
  const verify = principalVerifier('commerce', SECRET, systemClock.now);
  return listening(async (request, response) => {
    try {
      authorize(access, await verify(request.headers[INTERNAL_TOKEN_HEADER] as string | undefined));
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': ORDER.length })
        .end(ORDER);
    } catch {
      response.writeHead(401, { 'content-length': 0 }).end();
    }
  });
}

/** The gateway with nothing left out: access log, metrics, rate limits (too high to be reached), headers. */
async function gateway(servicePort: number): Promise<number> {
  const path: GatewayRoute = {
    method: 'GET',
    path: '/v1/orders/{id}',
    service: 'commerce',
    access,
    rate: 'normal',
    upload: false,
    changesReach: false,
  };
  const running = await startGateway(
    {
      port: 0,
      listenHost: '127.0.0.1',
      publicUrl: 'http://127.0.0.1',
      internalSecret: SECRET,
      environment: 'production',
      services: { commerce: `http://127.0.0.1:${servicePort}` },
      redisUrl: process.env.REDIS_URL,
      corsOrigins: [],
      trustedProxies: 0,
      rateLimitFactor: 1_000_000,
      drainMs: 0,
    },
    { routes: [path], log, introspect: async () => ({ principal: PRINCIPAL }) },
  );
  return running.port;
}

/** http-proxy-middleware as its first example has it. */
function bare(servicePort: number): Promise<number> {
  const application = express();
  application.use(createProxyMiddleware({ target: `http://127.0.0.1:${servicePort}`, changeOrigin: true }));
  return listening(application);
}

const roles: Record<string, (servicePort: number) => Promise<number>> = { service, gateway, bare };

if (process.send) {
  const [role, servicePort] = process.argv.slice(2);
  const port = await roles[role!]!(Number(servicePort));
  process.on('message', () => process.send!(process.cpuUsage()));
  process.on('disconnect', () => process.exit());
  process.send({ port });
}
