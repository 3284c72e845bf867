import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { renderAsyncApi } from './asyncapi.ts';

/** Writes the AsyncAPI document beside this file; with `--check` only says whether it is current (exit code 1: no). */
const file = new URL('./asyncapi.gen.json', import.meta.url);
const text = renderAsyncApi();

if (!process.argv.includes('--check')) {
  writeFileSync(file, text);
} else if (!existsSync(file) || readFileSync(file, 'utf8') !== text) {
  console.error('proto/events/asyncapi.gen.json is stale: run `node proto/events/generate-asyncapi.ts`');
  process.exitCode = 1;
}
