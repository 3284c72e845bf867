import { sharedServer } from './shared-server.ts';

/**
 * The PostgreSQL server of the tests: `DATABASE_URL`, else a container, else one started from npm.
 * @returns the address of its superuser
 */
export async function requirePostgres(): Promise<{ adminUrl: string }> {
  if (process.env.DATABASE_URL) return { adminUrl: process.env.DATABASE_URL };
  const found = await sharedServer('postgres');
  if ('missing' in found) throw new Error(`PostgreSQL is missing: ${found.missing}`);
  return { adminUrl: found.addresses[0]! };
}
