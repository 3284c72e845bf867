import { hash } from 'node:crypto';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { anonymous, merchant, portal } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { portOf } from '@tributary/runtime/http/server.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Message, Subscription } from '@tributary/runtime/messaging/message.ts';
import { mintToken } from '@tributary/runtime/token.ts';
import type { GatewayConfig } from '../config.ts';
import { startGateway } from '../main.ts';
import type { GatewayRoute } from '../route-table.ts';
import type { Introspected } from '../token-cache.ts';

export const SECRET = 'a secret that only tests know, 32+ characters';

const route = (
  method: GatewayRoute['method'],
  path: string,
  rest: Partial<GatewayRoute> = {},
): GatewayRoute => ({
  method,
  path,
  service: 'things',
  access: merchant('orders:read', 'orders:write'),
  rate: 'normal',
  upload: false,
  changesReach: false,
  ...rest,
});

/** Routes of every kind that the gateway treats differently. */
export const routes: readonly GatewayRoute[] = [
  route('GET', '/v1/things/'),
  route('POST', '/v1/things/', { access: merchant('orders:write') }),
  route('POST', '/v1/organizations/', { changesReach: true }),
  route('GET', '/v1/things/{id}'),
  route('PATCH', '/v1/things/{id}', { access: merchant('orders:write') }),
  route('DELETE', '/v1/things/{id}', { access: merchant('orders:write') }),
  route('GET', '/v1/customer-portal/things/', {
    access: portal('customer_portal:read', 'customer_portal:write'),
  }),
  route('GET', '/v1/open/{secret}', { access: anonymous }),
  route('POST', '/v1/open/{secret}/confirm', { access: anonymous, rate: 'checkout_confirm' }),
  route('PUT', '/v1/uploads/{id}', { access: anonymous, upload: true, rate: 'unlimited' }),
  route('GET', '/v1/down/', { service: 'down', access: anonymous }),
  route('GET', '/.well-known/jwks.json', { access: anonymous }),
];

export interface GatewayUnderTest {
  url: string;
  port: number;
  /** Makes a token good; what is returned may be changed or deleted later. */
  allow(principal: Principal, token?: string): string;
  /** What identity answers, by token. */
  tokens: Map<string, Introspected | Error>;
  /** Tokens identity was asked about, in order. */
  asked: string[];
  /** Requests that reached the service, in order. */
  seen: IncomingMessage[];
  /** Replaces what the service does. */
  serve(listener: RequestListener): void;
  /** Log lines, parsed. */
  lines: Record<string, unknown>[];
  /** Delivers word of a revoked token. */
  revoke(value: Partial<Record<'token_hash' | 'token_id', string>>): Promise<void>;
  stop(): Promise<void>;
}

/** A gateway with its service behind it, both on real ports. */
export async function gatewayUnderTest(config: Partial<GatewayConfig> = {}): Promise<GatewayUnderTest> {
  const tokens = new Map<string, Introspected | Error>();
  const asked: string[] = [];
  const seen: IncomingMessage[] = [];
  const lines: Record<string, unknown>[] = [];
  const subscriptions: Subscription[] = [];
  let listener: RequestListener = (_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"ok":true}');
  };
  const service = await listening((request, response) => {
    if (request.url === '/readyz') return response.end();
    seen.push(request);
    listener(request, response);
  });
  const log = createLog({
    service: 'gateway',
    level: 'info',
    destination: {
      write: (text) =>
        void lines.push(
          ...text
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line)),
        ),
    },
  });
  const gateway = await startGateway(
    {
      port: 0,
      listenHost: '127.0.0.1',
      publicUrl: 'http://127.0.0.1',
      internalSecret: SECRET,
      environment: 'production',
      corsOrigins: [],
      trustedProxies: 0,
      rateLimitFactor: 1,
      drainMs: 0,
      ...config,
      services: {
        things: `http://127.0.0.1:${portOf(service)}`,
        ...(config.services ?? { down: 'http://127.0.0.1:1' }),
      },
    },
    {
      routes,
      log,
      async introspect(token) {
        asked.push(token);
        const known = tokens.get(token);
        if (known instanceof Error) throw known;
        return known;
      },
      transport: {
        subscribe: async (subscription) => void subscriptions.push(subscription),
        ready: async () => undefined,
      },
    },
  );
  return {
    url: `http://127.0.0.1:${gateway.port}`,
    port: gateway.port,
    tokens,
    asked,
    seen,
    lines,
    allow(principal, token = mintToken('trb_oat_')) {
      tokens.set(token, { principal });
      return token;
    },
    serve(replacement) {
      listener = replacement;
    },
    async revoke(value) {
      const key = value.token_hash ?? value.token_id ?? '';
      const message = { topic: 'tributary.tokens', key, value } as unknown as Message;
      for (const subscription of subscriptions) await subscription.deliver([message]);
    },
    async stop() {
      await gateway.stop();
      service.closeAllConnections();
      await new Promise((resolve) => service.close(resolve));
    },
  };
}

export const sha256 = (token: string): string => hash('sha256', token, 'base64');

export async function listening(listener: RequestListener): Promise<Server> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return server;
}
