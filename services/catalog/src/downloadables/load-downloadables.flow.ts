import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import type { StoredFile } from '../files/file.ts';
import { filesById } from '../files/store.ts';
import type { PortalHolder } from '../scope.ts';
import type { Downloadable } from './downloadable.ts';
import { listDownloadables } from './store.ts';

/** A page of what a holder may download, with the files. */
export async function readDownloadables(
  reader: Reader,
  holder: PortalHolder,
  query: Paging & { benefit_id?: string[] },
): Promise<Page<{ downloadable: Downloadable; file: StoredFile }>> {
  const { items, total } = await listDownloadables(reader, holder, query);
  const files = await filesById(reader, [...new Set(items.map((item) => item.file_id))]);
  const byId = new Map(files.map((file) => [file.id, file]));
  return {
    items: items.flatMap((downloadable) => {
      const file = byId.get(downloadable.file_id);
      return file ? [{ downloadable, file }] : [];
    }),
    total,
  };
}
