import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** What a newcomer needs to call the platform, made at the first start. */
export const Credentials = z.object({
  base_url: z.string(),
  user: z.object({ id: z.string(), email: z.string(), session_token: z.string() }),
  organization: z.object({ id: z.string(), slug: z.string() }),
  organization_access_token: z.string(),
  personal_access_token: z.string(),
  oauth_client: z.object({ client_id: z.string(), client_secret: z.string(), redirect_uri: z.string() }),
});
export type Credentials = z.output<typeof Credentials>;

const pathIn = (home: string) => join(home, 'credentials.json');

/** The credentials of an earlier start, if there was one. */
export function readCredentials(home: string): Credentials | undefined {
  try {
    return Credentials.parse(JSON.parse(readFileSync(pathIn(home), 'utf8')));
  } catch {
    return undefined;
  }
}

/** Writes `credentials.json`, readable by its owner only. */
export function writeCredentials(home: string, credentials: Credentials): void {
  writeFileSync(pathIn(home), `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600 });
  chmodSync(pathIn(home), 0o600);
}
