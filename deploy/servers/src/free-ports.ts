import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems give to outgoing connections (Linux from 32768, others from 49152): one of those would take a port
 * while its server is being started, or started again.
 */
const LOWEST = 10_000;
const HIGHEST = 32_767;
const TRIES_EACH = 100;
/** Processes that start servers side by side, as workers of a test run do, mostly look in different parts. */
const PARTS = 16;
const PART = Math.floor((HIGHEST + 1 - LOWEST) / PARTS);
const FIRST = LOWEST + (process.pid % PARTS) * PART;

/** Free TCP ports on loopback, all different. Another program may take one before it is used: be ready to ask again. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries += 1) {
    if (tries === TRIES_EACH * count) throw new Error(`no ${count} ports are free`);
    const port = randomInt(FIRST, FIRST + PART);
    if (!ports.has(port) && (await isFree(port))) ports.add(port);
  }
  return [...ports];
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
