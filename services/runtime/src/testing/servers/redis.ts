import { findServer } from './optional-server.ts';

// Whether there is a server must be known before tests are declared, so importing this file starts it.
const addresses = await findServer('redis', process.env.REDIS_URL);

/**
 * `describe` for tests that need a real Redis server; without one they are skipped and named at the end.
 * @param body is given a function that resolves to the server's URL
 */
export function describeWithRedis(name: string, body: (url: () => Promise<string>) => void): void {
  const declare = addresses ? describe : describe.skip;
  declare(name, () => body(async () => addresses![0]!));
}
