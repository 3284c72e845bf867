import { connect } from 'node:net';

/** What one round of load came to. Latencies in milliseconds. */
export interface Round {
  requests: number;
  failures: number;
  seconds: number;
  latencies: number[];
}

export interface Load {
  port: number;
  path: string;
  headers: Readonly<Record<string, string>>;
  connections: number;
  seconds: number;
}

/**
 * Sends one GET after the other on each of some kept connections. It writes ready bytes and reads no more of an answer
 * than its status and length, so that the processors are left to what is measured.
 */
export async function apply(load: Load): Promise<Round> {
  const lines = Object.entries({ host: `127.0.0.1:${load.port}`, ...load.headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const bytes = Buffer.from(`GET ${load.path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  const round: Round = { requests: 0, failures: 0, seconds: 0, latencies: [] };
  const start = performance.now();
  const end = start + load.seconds * 1000;
  await Promise.all(
    Array.from({ length: load.connections }, () => oneConnection(load.port, bytes, end, round)),
  );
  round.seconds = (performance.now() - start) / 1000;
  return round;
}

function oneConnection(port: number, bytes: Buffer, end: number, round: Round): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let sentAt = 0;
    let text = '';
    const send = () => {
      sentAt = performance.now();
      socket.write(bytes);
    };
    socket.setNoDelay(true);
    socket.on('connect', send);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isComplete(text)) return;
      const now = performance.now();
      round.requests += 1;
      round.latencies.push(now - sentAt);
      if (!text.startsWith('HTTP/1.1 200 ')) round.failures += 1;
      text = '';
      if (now < end) send();
      else socket.destroy();
    });
    socket.on('error', reject);
    socket.on('close', () => resolve());
  });
}

/** Whether an answer with a Content-Length has come to its end. */
function isComplete(text: string): boolean {
  const headEnd = text.indexOf('\r\n\r\n');
  if (headEnd < 0) return false;
  const length = /\r\ncontent-length: *(\d+)/i.exec(text.slice(0, headEnd));
  return text.length >= headEnd + 4 + Number(length?.[1] ?? 0);
}
