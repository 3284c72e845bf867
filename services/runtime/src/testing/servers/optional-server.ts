import { type ServerKind, sharedServer } from './shared-server.ts';

/**
 * Addresses of a server that a machine may be without: from the environment, else started for the run. Undefined
 * when there is none, in which case the tests that need it are skipped; but in CI nothing is skipped.
 */
export async function findServer(
  kind: Exclude<ServerKind, 'postgres'>,
  given: string | undefined,
): Promise<readonly string[] | undefined> {
  if (given) return given.split(',').map((address) => address.trim());
  const found = await sharedServer(kind);
  if ('addresses' in found) return found.addresses;
  if (process.env.CI === 'true') throw new Error(`${kind} is missing: ${found.missing}`);
  process.stderr.write(`${kind} is missing, and tests that need it are skipped: ${found.missing}\n`);
  return undefined;
}
