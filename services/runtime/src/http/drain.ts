import type { Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** Time that requests under way have to end once the port is closed. */
const FINISH_MS = 12_000;
/** Time that the request of a connection just made has to arrive. */
const SWEEP_MS = 200;

/**
 * Prepares a server to be stopped without failing a request.
 *
 * A connection that is closed at the moment the other side uses it loses that request, and the other side cannot tell
 * whether it had an effect. So the end is announced first: for `noticeMs` requests go on being answered, on connections
 * old and new, and each answer says `connection: close`, after which nobody uses its connection again. Whoever keeps
 * connections idle for less than the notice (the gateway does) has none left when the port is closed.
 * @returns a function that drains the server: it resolves when the last request has been answered
 */
export function drainOf(server: Server): (noticeMs: number) => Promise<void> {
  const underWay = new Set<ServerResponse>();
  let isDraining = false;
  server.prependListener('request', (_request, response) => {
    if (isDraining) askToLeave(response);
    underWay.add(response);
    response.once('close', () => underWay.delete(response));
  });
  return async (noticeMs) => {
    isDraining = true;
    for (const response of underWay) askToLeave(response);
    await pause(noticeMs);
    const isClosed = new Promise<void>((resolve) => {
      // The HTTP server's own `close` would also close connections just made, whose first request is on its way.
      TcpServer.prototype.close.call(server, () => resolve());
    });
    // Answers begun before the notice could not ask to leave: their connections become idle only now.
    const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
    const cutOff = setTimeout(() => server.closeAllConnections(), FINISH_MS);
    await isClosed;
    clearInterval(sweep);
    clearTimeout(cutOff);
  };
}

function askToLeave(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
}
