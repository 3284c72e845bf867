import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { Failure } from './failure.js';

/** The first release line that runs TypeScript files as they are, and that every dependency supports. */
const minimumMajor = 24;

/**
 * Path of a Node that is new enough: the one running now, or else the binary that the optional `node-<platform>`
 * package puts into node_modules.
 */
export function findNode(root) {
  if (Number(process.versions.node.split('.')[0]) >= minimumMajor) return process.execPath;
  const binary = join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
  try {
    accessSync(binary, constants.X_OK);
    return binary;
  } catch {
    throw new Failure(
      `Node ${minimumMajor} or later is needed: this is ${process.version}, and no binary for ` +
        `${process.platform}-${process.arch} is in node_modules (${binary}).`,
    );
  }
}
