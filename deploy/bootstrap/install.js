import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from './failure.js';

/**
 * `npm install` and not `npm ci`: the lock file may lack optional packages of platforms that the registry it was
 * written with does not carry, which `npm ci` refuses outright. `--no-save` keeps the lock file as it is.
 */
const installArguments = [
  'install',
  '--no-save',
  '--no-audit',
  '--no-fund',
  '--loglevel=error',
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=2000',
];

const reasons = [
  [
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ERR_SOCKET_TIMEOUT|network/,
    'the package registry cannot be reached',
  ],
  [/ENOSPC/, 'the disk is full'],
  [/EACCES|EPERM|EROFS/, 'node_modules cannot be written by this user'],
];

/** Brings node_modules to what package-lock.json says; does nothing when it is there already. */
export async function installIfNeeded(root) {
  if (await isInstalled(root)) return;
  console.error('tributary: installing dependencies (needed once, and after an update) …');
  const { code, stderr } = await npm(root, installArguments);
  if (code === 0) return;
  const known = reasons.find(([pattern]) => pattern.test(stderr));
  const detail = stderr.trim().split('\n').at(0) ?? '';
  throw new Failure(
    `dependencies could not be installed: ${known ? known[1] : `npm ended with ${code}`} (${detail})`,
  );
}

/**
 * Compares the lock file with the copy npm keeps inside node_modules, so neither a checkout that touches file times
 * nor an `npm install` by hand causes a needless second installation.
 */
async function isInstalled(root) {
  try {
    const [wanted, found] = await Promise.all(
      ['package-lock.json', 'node_modules/.package-lock.json'].map(
        async (file) => JSON.parse(await readFile(join(root, file), 'utf8')).packages,
      ),
    );
    return Object.entries(wanted).every(([path, entry]) => {
      if (!path.startsWith('node_modules/')) return true;
      const present = found[path];
      return present ? present.version === entry.version : entry.optional === true;
    });
  } catch (error) {
    if (error instanceof SyntaxError || error.code === 'ENOENT') return false;
    throw new Failure(`the lock file cannot be read: ${error.message}`);
  }
}

/** Runs npm with the Node it came with, never with a binary inside node_modules that it is about to replace. */
function npm(root, args) {
  const cli = process.env.npm_execpath;
  const [command, before] = cli?.endsWith('npm-cli.js')
    ? [process.env.npm_node_execpath ?? process.execPath, [cli]]
    : ['npm', []];
  return new Promise((resolve, reject) => {
    const child = spawn(command, [...before, ...args], {
      cwd: root,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk;
    });
    child.on('error', (error) => reject(new Failure(`npm cannot be started (${error.message})`)));
    child.on('close', (code) => resolve({ code, stderr }));
  });
}
