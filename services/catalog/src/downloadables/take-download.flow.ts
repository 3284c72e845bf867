import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import type { StoredFile } from '../files/file.ts';
import { findFile } from '../files/store.ts';
import { ResourceUnavailable } from '../problems.ts';
import { countDownload } from './store.ts';

/** The file behind a download link, counted as fetched; a link outlives neither the grant nor trust in the file. */
export async function takeDownload(tx: Tx, downloadableId: string, now: Date): Promise<StoredFile> {
  const counted = await countDownload(tx, downloadableId, now);
  const file = counted && (await findFile(tx, counted.file_id));
  if (!file) throw notFound('This file is not available.');
  if (file.flagged_malicious_at)
    throw new Problem(ResourceUnavailable, 'This file has been found to be harmful.');
  return file;
}
