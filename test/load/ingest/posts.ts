import { connect, type Socket } from 'node:net';

/** What a time of load came to. Latencies in milliseconds. */
export interface Posted {
  requests: number;
  failures: number;
  seconds: number;
  latencies: number[];
}

export interface Target {
  host: string;
  port: number;
  path: string;
  token: string;
}

/** Ready bytes of a request: making them must not count. */
export function requestBytes(target: Target, body: string): Buffer {
  const bytes = Buffer.from(body);
  const head = [
    `POST ${target.path} HTTP/1.1`,
    `host: ${target.host}:${target.port}`,
    `authorization: Bearer ${target.token}`,
    'content-type: application/json',
    `content-length: ${bytes.length}`,
  ].join('\r\n');
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), bytes]);
}

export const getBytes = (target: Target): Buffer =>
  Buffer.from(
    `GET ${target.path} HTTP/1.1\r\nhost: ${target.host}:${target.port}\r\nauthorization: Bearer ${target.token}\r\n\r\n`,
  );

/** A kept connection that sends one request at a time and reads no more of an answer than status and length. */
class Connection {
  readonly #socket: Socket;
  #text = '';
  #done: ((isGood: boolean) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  constructor({ host, port }: Target) {
    this.#socket = connect(port, host);
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#read(chunk.toString('latin1')));
    this.#socket.on('error', (error) => this.#failed?.(error));
    this.#socket.on('close', () => this.#failed?.(new Error('the connection was closed')));
  }

  send(bytes: Buffer): Promise<boolean> {
    return new Promise((resolve, reject) => {
      this.#done = resolve;
      this.#failed = reject;
      this.#socket.write(bytes);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #read(chunk: string): void {
    this.#text += chunk;
    const headEnd = this.#text.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = /\r\ncontent-length: *(\d+)/i.exec(this.#text.slice(0, headEnd));
    if (this.#text.length < headEnd + 4 + Number(length?.[1] ?? 0)) return;
    const isGood = this.#text.startsWith('HTTP/1.1 200 ');
    if (!isGood && process.env.SHOW_FAILURES) process.stderr.write(`${this.#text.slice(0, 400)}\n`);
    this.#text = '';
    this.#done?.(isGood);
  }
}

async function over<T>(
  target: Target,
  count: number,
  work: (connections: Connection[]) => Promise<T>,
): Promise<T> {
  const connections = Array.from({ length: count }, () => new Connection(target));
  try {
    return await work(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** One request after the other on each connection, until the time or the requests are over. */
export function closedLoop(
  target: Target,
  connections: number,
  seconds: number,
  next: () => Buffer | undefined,
): Promise<Posted> {
  return over(target, connections, async (all) => {
    const posted: Posted = { requests: 0, failures: 0, seconds: 0, latencies: [] };
    const start = performance.now();
    const end = start + seconds * 1000;
    await Promise.all(
      all.map(async (connection) => {
        while (performance.now() < end) {
          const bytes = next();
          if (!bytes) return;
          await timed(connection, bytes, performance.now(), posted);
        }
      }),
    );
    posted.seconds = (performance.now() - start) / 1000;
    return posted;
  });
}

/**
 * Requests at a fixed rate, whether or not the ones before have been answered; a request's latency counts from the
 * moment it was due, so that a stall is felt by all who come during it.
 */
export function openLoop(
  target: Target,
  connections: number,
  perSecond: number,
  requests: readonly Buffer[],
): Promise<Posted> {
  return over(target, connections, async (all) => {
    const posted: Posted = { requests: 0, failures: 0, seconds: 0, latencies: [] };
    const start = performance.now();
    let next = 0;
    await Promise.all(
      all.map(async (connection) => {
        for (let place = next++; place < requests.length; place = next++) {
          const due = start + (place * 1000) / perSecond;
          const early = due - performance.now();
          if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
          await timed(connection, requests[place]!, due, posted);
        }
      }),
    );
    posted.seconds = (performance.now() - start) / 1000;
    return posted;
  });
}

async function timed(connection: Connection, bytes: Buffer, since: number, posted: Posted): Promise<void> {
  const isGood = await connection.send(bytes);
  posted.latencies.push(performance.now() - since);
  posted.requests += 1;
  if (!isGood) posted.failures += 1;
}
