import type { Logger } from '@tributary/runtime/log.ts';
import { type Checks, operations } from '@tributary/runtime/operations.ts';
import express, { type Request, type Response } from 'express';
import { documents } from './documents.ts';
import { type Exchange, refuse, unknownPath } from './exchange.ts';
import { readinessOf } from './readiness.ts';

export interface PagesOptions {
  services: Readonly<Record<string, string>>;
  /** Servers that the gateway works without when it must. */
  misses: Checks;
  /** The OpenAPI document of all services, as JSON. */
  description: string;
  isStopping: () => boolean;
  log: Logger;
}

/** What the gateway answers itself: documents, `/healthz`, `/readyz`, `/metrics`; 404 for all the rest. */
export function pages({
  services,
  misses,
  description,
  isStopping,
  log,
}: PagesOptions): (exchange: Exchange) => void {
  const application = express();
  application.disable('x-powered-by');
  application.use(operations({ needs: readinessOf(services), misses }, { log, isStopping }));
  application.use(documents(description));
  return (exchange) => {
    const { request, response, headers } = exchange;
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    application(request as Request, response as Response, (error?: unknown) =>
      refuse(exchange, error ?? unknownPath(), log),
    );
  };
}
