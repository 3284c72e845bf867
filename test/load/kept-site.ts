import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a platform with seeded data needs to be opened again. */
export interface KeptSite {
  folder: string;
  secret: string;
  /** Services that have been seeded. */
  seeded: string[];
  meterId: string | null;
  save(): void;
}

/** The site that is kept in a folder, or the beginning of one. */
export function keptSite(folder: string): KeptSite {
  const file = join(folder, 'site.json');
  mkdirSync(folder, { recursive: true });
  const state: Pick<KeptSite, 'secret' | 'seeded' | 'meterId'> = existsSync(file)
    ? JSON.parse(readFileSync(file, 'utf8'))
    : { secret: randomBytes(32).toString('hex'), seeded: [], meterId: null };
  return Object.assign(state, {
    folder,
    save: () => writeFileSync(file, JSON.stringify(state), { mode: 0o600 }),
  });
}
