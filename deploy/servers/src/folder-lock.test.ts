import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { holdFolder } from './folder-lock.ts';
import { identityOf } from './os-process.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'folder-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const lockFile = () => join(folder, 'lock');

test('a folder that is held is refused, with the number of the process that holds it', async () => {
  await holdFolder(folder);
  await expect(holdFolder(folder, 60)).rejects.toThrow(`${folder} is in use by process ${process.pid}`);
});

test('a folder is free again once released', async () => {
  const lock = await holdFolder(folder);
  lock.release();
  await holdFolder(folder, 0);
});

test('a start that waits gets the folder as soon as it is released', async () => {
  const lock = await holdFolder(folder);
  const waiting = holdFolder(folder);
  lock.release();
  await waiting;
});

test.each([
  ['of a process that is gone', { pid: 2 ** 30, started: '1' }],
  ['of a process whose number belongs to another one now', { pid: process.pid, started: 'long ago' }],
])('a lock %s does not count', async (_name, holder) => {
  writeFileSync(lockFile(), JSON.stringify(holder));
  await holdFolder(folder, 0);
  expect(JSON.parse(readFileSync(lockFile(), 'utf8'))).toEqual(identityOf(process.pid));
});

test('a lock that cannot be read does not count', async () => {
  writeFileSync(lockFile(), '');
  await holdFolder(folder, 0);
});
