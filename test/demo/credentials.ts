import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const home = process.env.TRIBUTARY_HOME ?? join(import.meta.dirname, '../../.tributary');

/** The credentials that `npm start` wrote; ends the process with one line when there are none. */
export function readCredentials(): { base_url: string; organization_access_token: string } {
  const path = join(home, 'credentials.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    console.error(`no ${path}: run npm start first`);
    process.exit(1);
  }
}

/** What to say when the platform does not answer. */
export const explain = (error: unknown, baseUrl: string): string =>
  error instanceof TypeError && error.message === 'fetch failed'
    ? `no platform answers at ${baseUrl}: run npm start first`
    : String(error);
