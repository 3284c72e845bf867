import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The facts of release 2026-04 by operation, read from `reference/`. */
export function referenceFacts(): Map<string, string[]> {
  const folder = join(import.meta.dirname, 'reference');
  const facts = new Map<string, string[]>();
  for (const file of readdirSync(folder)) {
    for (const block of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n\n')) {
      const [operation, ...lines] = block.split('\n');
      facts.set(
        operation!,
        lines.map((line) => line.slice(2)),
      );
    }
  }
  return facts;
}
