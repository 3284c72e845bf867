import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { differences } from './differences.ts';
import { factsOf } from './facts.ts';
import { referenceFacts } from './reference.ts';

const ours = factsOf(
  JSON.parse(readFileSync(join(import.meta.dirname, '../../gateway/src/openapi.gen.json'), 'utf8')),
);
const reference = referenceFacts();
const shared = [...ours.keys()].filter((operation) => reference.has(operation)).toSorted();

/** `+ fact` for what only ours promises, `- fact` for what only release 2026-04 does. */
function differencesOf(operation: string): string[] {
  const [mine, theirs] = [new Set(ours.get(operation)), new Set(reference.get(operation))];
  return [
    ...[...mine.difference(theirs)].map((fact) => `+ ${fact}`),
    ...[...theirs.difference(mine)].map((fact) => `- ${fact}`),
  ];
}

const explains = (line: string, operation: string) =>
  differences.find(
    (known) => known.operation.test(operation) && line[0] === known.sign && known.fact.test(line.slice(2)),
  );

describe('the API document against release 2026-04', () => {
  test.each(shared)(
    '%s promises what the release does, but for the differences that are explained',
    (operation) => {
      expect(differencesOf(operation).filter((line) => !explains(line, operation))).toEqual([]);
    },
  );

  test('no explanation is left without its difference', () => {
    const used = new Set(
      shared.flatMap((operation) => differencesOf(operation).map((line) => explains(line, operation))),
    );
    expect(differences.filter((known) => !used.has(known))).toEqual([]);
  });
});
