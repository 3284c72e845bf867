import type { App } from '../app.ts';
import { filesToErase, markErased } from './store.ts';

const BATCH = 50;
/** Far beyond the hour for which parts can be sent. */
const ABANDONED_AFTER_MS = 86_400_000;

/** Frees the storage of deleted files and of uploads that nobody finished; returns whether more may be left. */
export async function eraseFiles({ db, storage }: App, now: Date): Promise<boolean> {
  const files = await filesToErase(db.manager, new Date(now.getTime() - ABANDONED_AFTER_MS), BATCH);
  for (const file of files) {
    await storage.remove(file);
    await markErased(db.manager, file.id, now);
  }
  return files.length === BATCH;
}
