import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const secret = z.string().min(32);
const Secrets = z.object({ internal_secret: secret, token_secret: secret });
export type Secrets = z.output<typeof Secrets>;

/** The secrets of this home, made at the first start and kept in `secrets.json` (mode 600). */
export function readOrMakeSecrets(home: string): Secrets {
  const path = join(home, 'secrets.json');
  mkdirSync(home, { recursive: true });
  try {
    return Secrets.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      throw new Error(`${path} cannot be read: ${(error as Error).message}`);
  }
  const make = () => randomBytes(32).toString('base64url');
  const secrets = { internal_secret: make(), token_secret: make() };
  writeFileSync(path, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  return secrets;
}
