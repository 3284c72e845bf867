import { createServer, type RequestListener, type Server } from 'node:http';
import type { Socket } from 'node:net';

/** Load balancers in front keep connections for 60 s as a rule; ours must not end first. */
const KEEP_ALIVE_MS = 75_000;
const HEADERS_MS = 20_000;
/** A whole upload must arrive in this time. */
const REQUEST_MS = 10 * 60_000;

/** Listens; resolves once connections are accepted. */
export async function listen(handle: RequestListener, port: number, host: string): Promise<Server> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS },
    handle,
  );
  server.on('clientError', answerUnreadable);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, host, resolve);
  });
  return server;
}

const REASONS: Record<string, readonly [status: string, error: string, detail: string]> = {
  HPE_HEADER_OVERFLOW: [
    '431 Request Header Fields Too Large',
    'RequestHeaderTooLarge',
    'The request headers are too large',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'RequestTimeout', 'The request took too long to arrive'],
};

/** Answers what cannot be read as HTTP; there is no request object for it. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket | NodeJS.WritableStream): void {
  const isOpen = 'writable' in socket && socket.writable;
  if (error.code === 'ECONNRESET' || !isOpen) {
    if ('destroy' in socket) socket.destroy();
    return;
  }
  const [status, name, detail] = REASONS[error.code ?? ''] ?? [
    '400 Bad Request',
    'BadRequest',
    'The request is not valid HTTP',
  ];
  const body = JSON.stringify({ error: name, detail });
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json; charset=utf-8\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
  );
}
