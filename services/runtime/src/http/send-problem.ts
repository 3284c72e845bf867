import type { Request, Response } from 'express';
import { isDatabaseTrouble } from '../db/trouble.ts';
import type { Logger } from '../log.ts';
import { Problem, problemBody, ResourceNotFound, ServiceUnavailable, ValidationProblem } from './problem.ts';

/** Turns whatever was thrown into the contract's error body (service description, section 7). */
export function sendProblem(error: unknown, request: Request, response: Response, log: Logger): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  if (error instanceof ValidationProblem) {
    response.status(422).json({ error: 'RequestValidationError', detail: error.issues });
    return;
  }
  if (error instanceof Problem) {
    response.status(error.type.status).set(error.headers).json(problemBody(error));
    return;
  }
  if (error instanceof URIError) {
    response.status(404).json({ error: ResourceNotFound.name, detail: 'Not found' });
  } else if (isDatabaseTrouble(error)) {
    log.warn({ err: error }, 'a server this service needs is not available');
    response
      .status(503)
      .set('retry-after', '1')
      .json({ error: ServiceUnavailable.name, detail: 'Try again shortly.' });
  } else {
    log.error({ err: error, method: request.method, path: request.path }, 'request failed');
    response.status(500).json({ error: 'InternalServerError', detail: 'Internal server error' });
  }
}
