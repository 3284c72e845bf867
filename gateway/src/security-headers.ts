import type { IncomingMessage, ServerResponse } from 'node:http';
import helmet from 'helmet';

export type HeaderSet = Readonly<Record<string, string>>;

export interface StandingHeaders {
  /** On answers any web page may read: nothing in them belongs to who is logged in. */
  open: HeaderSet;
  /** On answers for merchants' own programs and pages. */
  merchant: HeaderSet;
}

/** The headers that every answer carries. They never change, so they are worked out once and not per request. */
export function standingHeaders(config: { environment: string; publicUrl: string }): StandingHeaders {
  const isSecure = config.publicUrl.startsWith('https:');
  const common = {
    ...headersOf(
      helmet({
        // An API answers with data: nothing of it may run, be framed or be sniffed into something else.
        contentSecurityPolicy: {
          useDefaults: false,
          directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        },
        frameguard: { action: 'deny' },
        strictTransportSecurity: isSecure && { maxAge: 31_536_000, includeSubDomains: false },
        crossOriginResourcePolicy: false,
        crossOriginOpenerPolicy: false,
        originAgentCluster: false,
        xDnsPrefetchControl: false,
        xDownloadOptions: false,
        xPermittedCrossDomainPolicies: false,
        xXssProtection: false,
      }),
    ),
    'cache-control': 'private, no-store',
    ...(config.environment === 'sandbox' ? { 'tributary-sandbox': 'true' } : {}),
  };
  return {
    open: { ...common, 'cross-origin-resource-policy': 'cross-origin' },
    merchant: { ...common, 'cross-origin-resource-policy': 'same-origin', vary: 'Origin' },
  };
}

type Middleware = (request: IncomingMessage, response: ServerResponse, next: () => void) => void;

/** What a middleware that only sets headers would set. */
function headersOf(middleware: Middleware): Record<string, string> {
  const headers: Record<string, string> = {};
  const response = {
    setHeader(name: string, value: string) {
      headers[name.toLowerCase()] = value;
    },
    removeHeader() {},
  };
  middleware({} as IncomingMessage, response as unknown as ServerResponse, () => undefined);
  return headers;
}
