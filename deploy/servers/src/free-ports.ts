import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below what systems give to outgoing connections (Linux from 32768, others from 49152): one of those would take a port
 * while its server is being started, or started again.
 */
const LOWEST = 10_000;
const HIGHEST = 32_767;
/** Processes that start servers side by side, as workers of a test run do, mostly look in different parts. */
const PARTS = 16;
const PART = Math.floor((HIGHEST + 1 - LOWEST) / PARTS);
const FIRST = LOWEST + (process.pid % PARTS) * PART;

/** Goes through the part in turn, so that a port that was given and is not yet used is not given again. */
let place = randomInt(PART);

/** Free TCP ports on loopback, all different. Another program may take one before it is used: be ready to ask again. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  for (let tries = 0; ports.length < count; tries += 1) {
    if (tries === PART) throw new Error(`no ${count} ports are free`);
    place = (place + 1) % PART;
    const port = FIRST + place;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
