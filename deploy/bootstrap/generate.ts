/**
 * Runs the `generate` script of every workspace that has one, in workspace order. With `--check` it only tells
 * whether what is committed is what the generators write, and leaves the files as they were.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';

/** Generated files are known by their name, the same names that the formatter leaves alone. */
const generatedName = /(^|\/)gen\/|\.gen\.(ts|json)$/;

function generatedFiles(): Map<string, Buffer> {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', '-z'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  const names = listed.split('\0').filter((name) => generatedName.test(name) && existsSync(name));
  return new Map(names.map((name) => [name, readFileSync(name)]));
}

function generate(): number {
  const npm = spawnSync('npm', ['run', 'generate', '--workspaces', '--if-present', '--silent'], {
    stdio: 'inherit',
  });
  return npm.status ?? 1;
}

function restore(before: Map<string, Buffer>, after: Map<string, Buffer>): void {
  for (const name of after.keys()) if (!before.has(name)) rmSync(name);
  for (const [name, content] of before) writeFileSync(name, content);
}

function staleNames(before: Map<string, Buffer>, after: Map<string, Buffer>): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.filter((name) => {
    const old = before.get(name);
    const now = after.get(name);
    return !old || !now || !old.equals(now);
  });
}

if (process.argv.includes('--check')) {
  const before = generatedFiles();
  const code = generate();
  const after = generatedFiles();
  const stale = staleNames(before, after);
  if (stale.length > 0) {
    restore(before, after);
    console.error(`Stale generated files; run \`npm run generate\` and commit:\n  ${stale.join('\n  ')}`);
  }
  process.exitCode = code !== 0 || stale.length > 0 ? 1 : 0;
} else {
  process.exitCode = generate();
}
