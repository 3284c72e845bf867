import { createServer, type RequestListener } from 'node:http';
import { startGateway } from '@tributary/gateway/main.ts';
import type { GatewayRoute } from '@tributary/gateway/route-table.ts';
import { merchant } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { systemClock } from '@tributary/runtime/clock.ts';
import { routeFor } from '@tributary/runtime/http/route.ts';
import { httpApplication, portOf } from '@tributary/runtime/http/server.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { createLog } from '@tributary/runtime/log.ts';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';
import { z } from 'zod';

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

/** A service as every service is built: internal token, scopes, a path parameter, a small record. */
function service(): Promise<number> {
  const route = routeFor<never>();
  const order = route({
    method: 'GET',
    path: '/v1/orders/{id}',
    operation: 'orders:get',
    summary: 'Read an order',
    access,
    params: z.object({ id: Id }),
    response: z.object({ id: Id, lines: z.array(z.object({ label: z.string(), amount: z.int() })) }),
    handle: async ({ params }) => ({
      id: params.id,
      lines: Array.from({ length: 8 }, (_, index) => ({
        label: `Line number ${index}`,
        amount: index * 100,
      })),
    }),
  });
  const application = httpApplication({
    service: 'commerce',
    routes: [order],
    app: undefined as never,
    // A read without an Idempotency-Key uses no database here.
    db: undefined as never,
    secret: SECRET,
    now: systemClock.now,
    log,
  });
  return listening(application);
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
