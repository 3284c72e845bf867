import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  /** Answers from now on with this status; 204 at first. */
  answerWith(status: number, body?: string, headers?: Record<string, string>): void;
  /** Keeps requests waiting until the returned function is called. */
  hold(): () => void;
  /** Resolves once so many requests have arrived. */
  arrived(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** An integrator's server on loopback. */
export async function startReceiver(): Promise<Receiver> {
  let answer = { status: 204, body: '', headers: {} as Record<string, string> };
  let gate: Promise<void> = Promise.resolve();
  const arrivals: { count: number; resolve: () => void }[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    receiver.received.push({
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    });
    for (const { count, resolve } of arrivals) if (receiver.received.length >= count) resolve();
    await gate;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  const receiver: Receiver = {
    url: '',
    received: [],
    answerWith(status, body = '', headers = {}) {
      answer = { status, body, headers };
    },
    hold() {
      const held = Promise.withResolvers<void>();
      gate = held.promise;
      return held.resolve;
    },
    arrived(count) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (receiver.received.length >= count) resolve();
      arrivals.push({ count, resolve });
      return promise;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  return receiver;
}
