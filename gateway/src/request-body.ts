import type { IncomingMessage } from 'node:http';
import { MAX_BODY_BYTES } from '@tributary/runtime/http/body.ts';
import { LengthRequired, Problem, RequestBodyTooLarge } from '@tributary/runtime/http/problem.ts';

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);
/** A client that goes on sending is listened to for so long, so that it reads our answer; then it is cut off. */
const MAX_WASTED_BYTES = 10 * MAX_BODY_BYTES;

const declaredBytes = (request: IncomingMessage): number | undefined => {
  const header = request.headers['content-length'];
  return header === undefined ? undefined : Number(header);
};

const isChunked = (request: IncomingMessage): boolean => request.headers['transfer-encoding'] !== undefined;

/** Whether nothing follows the request's headers. */
export const isBodyless = (request: IncomingMessage): boolean =>
  !isChunked(request) && (declaredBytes(request) ?? 0) === 0;

/** So many bytes of a body are kept until the service has answered; a larger one passes through. */
const MAX_KEPT_BYTES = 64 * 1024;

/** Whether the headers announce a body that is small enough to be kept. */
export const isSmall = (request: IncomingMessage): boolean =>
  !isChunked(request) && (declaredBytes(request) ?? 0) <= MAX_KEPT_BYTES;

/** Reads a small body; `done` is not called when the client goes away before its end. */
export function readWhole(request: IncomingMessage, done: (body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.once('end', () => done(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
}

/** Refuses a body whose headers say that it is too large (413), or that say no length at all (411). */
export function checkDeclaredLength(request: IncomingMessage, isUpload: boolean): void {
  const declared = declaredBytes(request);
  if (declared === undefined && !isChunked(request) && WITH_BODY.has(request.method!)) {
    throw new Problem(LengthRequired, 'A Content-Length header is required');
  }
  if (!isUpload && declared !== undefined && declared > MAX_BODY_BYTES) throw tooLarge(declared);
}

/** Calls `stop` once a body of undeclared length has gone over the limit, and has the rest read and thrown away. */
export function limitStreamedBytes(request: IncomingMessage, stop: (problem: Problem) => void): void {
  if (!isChunked(request)) return;
  let bytes = 0;
  let isStopped = false;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > MAX_WASTED_BYTES) request.destroy();
    if (isStopped || bytes <= MAX_BODY_BYTES) return;
    isStopped = true;
    request.unpipe();
    request.resume();
    stop(tooLarge(bytes));
  });
}

const tooLarge = (bytes: number): Problem =>
  new Problem(
    RequestBodyTooLarge,
    'The request body is larger than 10 MiB',
    bytes > MAX_WASTED_BYTES ? { connection: 'close' } : {},
  );
