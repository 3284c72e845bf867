import type { IncomingMessage } from 'node:http';
import { LengthRequired, Problem, RequestBodyTooLarge, ValidationProblem } from './problem.ts';

/** Largest request body, bytes (domain rules 13.4). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_DEPTH = 64;

/** Reads a body of at most 10 MiB as text; 411 without a length, 413 over the limit, 422 for invalid UTF-8. */
export async function readText(request: IncomingMessage): Promise<string> {
  const declared = request.headers['content-length'];
  if (declared === undefined && request.headers['transfer-encoding'] === undefined) return '';
  if (declared !== undefined && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks, size));
  } catch {
    throw new ValidationProblem([
      { loc: ['body'], msg: 'The body is not valid UTF-8', type: 'json_invalid' },
    ]);
  }
}

/** Refuses a body without a declared length (domain rules 13.4). */
export function requireLength(request: IncomingMessage): void {
  if (request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined) {
    throw new Problem(LengthRequired, 'A Content-Length header is required');
  }
}

/** Parses JSON; broken or too deeply nested text is a 422. An empty text is undefined. */
export function parseJson(text: string): unknown {
  if (text.length === 0) return undefined;
  if (depthExceeds(text, MAX_DEPTH)) {
    throw new ValidationProblem([
      { loc: ['body'], msg: `JSON nested deeper than ${MAX_DEPTH} levels`, type: 'json_invalid' },
    ]);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const msg = 'JSON decode error';
    throw new ValidationProblem([
      { loc: ['body'], msg, type: 'json_invalid', ctx: { error: (error as Error).message.slice(0, 200) } },
    ]);
  }
}

/** Whether brackets outside strings nest deeper than `limit`; stops at the first that does. */
function depthExceeds(text: string, limit: number): boolean {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return false;
}

const tooLarge = () =>
  new Problem(RequestBodyTooLarge, 'The request body is larger than 10 MiB', { connection: 'close' });
