import type { IncomingMessage } from 'node:http';
import { LengthRequired, Problem, RequestBodyTooLarge, ValidationProblem } from './problem.ts';

/** Largest request body, bytes (domain rules 13.4). */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;
const MAX_DEPTH = 64;
/** Members and elements in all: what is checked one by one must come to an end soon. */
const MAX_VALUES = 20_000;

/** Reads a body of at most 10 MiB; 413 over the limit. */
export async function readBytes(request: IncomingMessage): Promise<Buffer> {
  const declared = request.headers['content-length'];
  if (declared !== undefined && Number(declared) > MAX_BODY_BYTES) throw tooLarge();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** A body's text; 422 for invalid UTF-8. */
export function textOf(bytes: Uint8Array): string {
  try {
    return strictUtf8.decode(bytes);
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

/** Parses JSON; broken, too deeply nested or too large a text is a 422. An empty text is undefined. */
export function parseJson(text: string): unknown {
  if (text.length === 0) return undefined;
  const excess = excessOf(text);
  if (excess) throw new ValidationProblem([{ loc: ['body'], msg: excess, type: 'json_invalid' }]);
  try {
    return JSON.parse(text);
  } catch (error) {
    const msg = 'JSON decode error';
    throw new ValidationProblem([
      { loc: ['body'], msg, type: 'json_invalid', ctx: { error: (error as Error).message.slice(0, 200) } },
    ]);
  }
}

/** What a text has too much of, told from what stands outside its strings; undefined if it has not. */
function excessOf(text: string): string | undefined {
  let depth = 0;
  let separators = 0;
  let inString = false;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 0x5c) index += 1;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x2c) {
      separators += 1;
      if (separators > MAX_VALUES) return `JSON of more than ${MAX_VALUES} values`;
    } else if (code === 0x7b || code === 0x5b) {
      depth += 1;
      if (depth > MAX_DEPTH) return `JSON nested deeper than ${MAX_DEPTH} levels`;
    } else if (code === 0x7d || code === 0x5d) depth -= 1;
  }
  return undefined;
}

const tooLarge = () =>
  new Problem(RequestBodyTooLarge, 'The request body is larger than 10 MiB', { connection: 'close' });
