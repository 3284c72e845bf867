import type { Readable } from 'node:stream';
import { invalid, notFound } from '@tributary/runtime/http/problem.ts';
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
    if (error instanceof UploadRejected) throw invalid(['body'], error.message);
    throw error;
  }
}
