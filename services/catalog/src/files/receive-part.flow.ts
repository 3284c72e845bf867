import type { Readable } from 'node:stream';
import {
  BadRequest,
  invalid,
  notFound,
  Problem,
  ServiceUnavailable,
} from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { UploadRejected } from './storage.ts';
import { findFile } from './store.ts';

/** Stores one part of an upload that is under way; returns its ETag. */
export async function receivePart(
  { db, storage }: App,
  fileId: string,
  number: number,
  body: Readable,
): Promise<string> {
  const file = await findFile(db.manager, fileId);
  const part = file?.parts.find((candidate) => candidate.number === number);
  if (!file || !part || file.is_uploaded || file.deleted_at || !storage.receive)
    throw notFound('This link is not valid.');
  try {
    return await storage.receive(file, part, body);
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

/** What a client is told of an upload that failed for a reason outside of this program. */
function refusalOf(error: unknown): Error | undefined {
  if (error instanceof UploadRejected) return invalid(['body'], error.message);
  switch ((error as NodeJS.ErrnoException).code) {
    case 'ERR_STREAM_PREMATURE_CLOSE':
    case 'ECONNRESET':
      return new Problem(BadRequest, 'The upload broke off.');
    case 'ENOSPC':
      return new Problem(ServiceUnavailable, 'There is no space for this file.');
    default:
      return undefined;
  }
}
