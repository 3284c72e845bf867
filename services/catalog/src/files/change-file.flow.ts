import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { NotPermitted, Problem } from '@tributary/runtime/http/problem.ts';
import { detachFile } from '../benefits/save-benefit.flow.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import type { StoredFile } from './file.ts';
import { updateFile } from './store.ts';

/** Empty values leave things as they are. */
export async function changeFile(
  tx: Tx,
  current: StoredFile,
  input: { name?: string | null; version?: string | null },
  now: Date,
): Promise<StoredFile> {
  refuseAttachment(current);
  const changed = {
    ...current,
    modified_at: now,
    name: input.name || current.name,
    version: input.version || current.version,
  };
  await updateFile(tx, changed);
  if (current.service === 'product_media') await requestSweep(tx, 'products-of-file', current.id, now);
  return changed;
}

/** Takes a file from the products and benefits that have it; its bytes are erased later. */
export async function deleteFile(tx: Tx, current: StoredFile, now: Date): Promise<void> {
  refuseAttachment(current);
  await updateFile(tx, { ...current, modified_at: now, deleted_at: now });
  if (current.service === 'product_media') await requestSweep(tx, 'products-of-file', current.id, now);
  if (current.service === 'downloadable') await detachFile(tx, current.organization_id, current.id, now);
}

/** What was sent to support stays as it was sent. */
export function refuseAttachment(file: StoredFile): void {
  if (file.service === 'support_case_attachment')
    throw new Problem(NotPermitted, 'Attachments of support cases cannot be changed.');
}
