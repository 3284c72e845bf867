import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { factsOf } from './facts.ts';

/** `node make-reference.ts <openapi.json>`: writes the facts of a published contract into `reference/`, a file per resource. */
const [source] = process.argv.slice(2);
if (!source) throw new Error('usage: node make-reference.ts <openapi.json>');
const folder = join(import.meta.dirname, 'reference');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder);
const facts = factsOf(JSON.parse(readFileSync(source, 'utf8')));
const resourceOf = (operation: string) => {
  const [, , first, second] = operation.split(' ')[1]!.split('/');
  return first === 'customer-portal' ? `${first}-${second}` : first;
};
for (const [resource, operations] of Map.groupBy(facts, ([operation]) => resourceOf(operation))) {
  const text = operations
    .map(([operation, lines]) => [operation, ...lines.map((line) => `  ${line}`)].join('\n'))
    .join('\n\n');
  writeFileSync(join(folder, `${resource}.txt`), `${text}\n`);
}
