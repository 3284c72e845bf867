import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Generates `proto/gen` from the `.proto` files with protoc and ts-proto.
 * With `--check` it writes nothing and exits 1 when the committed code is stale.
 */
const root = import.meta.dirname;
const bin = join(root, '../node_modules/.bin');
const options = [
  'outputServices=grpc-js',
  'outputClientImpl=false',
  'esModuleInterop=true',
  'enumsAsLiterals=true',
  'forceLong=number',
  'importSuffix=.ts',
  'snakeToCamel=false',
  'useDate=true',
  'useOptionals=none',
  'outputPartialMethods=false',
  'outputJsonMethods=false',
].join(',');

function generate(folder: string): void {
  const files = globSync('*/v1/*.proto', { cwd: root });
  execFileSync(join(bin, 'protoc'), [
    `-I${root}`,
    `--plugin=protoc-gen-ts_proto=${join(bin, 'protoc-gen-ts_proto')}`,
    `--ts_proto_out=${folder}`,
    `--ts_proto_opt=${options}`,
    ...files,
  ]);
}

if (process.argv.includes('--check')) {
  const fresh = mkdtempSync(join(tmpdir(), 'proto-'));
  generate(fresh);
  const names = (folder: string) => globSync('**/*.ts', { cwd: folder }).toSorted();
  const committed = join(root, 'gen');
  const isStale =
    names(fresh).join() !== names(committed).join() ||
    names(fresh).some(
      (name) => readFileSync(join(fresh, name), 'utf8') !== readFileSync(join(committed, name), 'utf8'),
    );
  rmSync(fresh, { recursive: true });
  if (isStale) {
    console.error('proto/gen is stale: run npm run generate');
    process.exit(1);
  }
} else {
  generate(join(root, 'gen'));
}
