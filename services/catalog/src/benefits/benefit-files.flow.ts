import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { countDownloads } from '../downloadables/store.ts';
import type { StoredFile } from '../files/file.ts';
import { filesById } from '../files/store.ts';
import type { Benefit } from './benefit.ts';
import { filePage } from './store.ts';

export interface BenefitFile {
  file: StoredFile;
  downloads: number;
  downloaders: number;
}

/** A page of a benefit's files with how often they were fetched; deleted files have left the benefit. */
export async function listBenefitFiles(
  reader: Reader,
  benefit: Benefit,
  paging: Paging,
): Promise<Page<BenefitFile>> {
  const { ids, total } = filePage(benefit, paging);
  const files = await filesById(reader, ids);
  const counts = await countDownloads(reader, benefit.id, ids);
  const items = files.map((file) => ({ file, ...(counts.get(file.id) ?? { downloads: 0, downloaders: 0 }) }));
  return { items, total };
}
