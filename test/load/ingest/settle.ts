import { setTimeout as delay } from 'node:timers/promises';
import type { OwnPlatform, Server } from './start.ts';

const POLL_MS = 500;
const MOST_MS = 300_000;
/** Share of a processor that an idle server uses at most. */
const IDLE = 0.05;

/**
 * Waits until the database has done what events leave behind that were stored past the service, which is none of
 * ingest's work: the search for customers' first events, which looks at everything 15 s after it was stored, and vacuum.
 */
export async function settle(server: Server, { db }: OwnPlatform): Promise<void> {
  for (const end = Date.now() + MOST_MS; Date.now() < end; ) {
    const before = server.cpuMicros() ?? 0;
    await delay(POLL_MS);
    const share = ((server.cpuMicros() ?? 0) - before) / (POLL_MS * 1_000);
    const { rows } = await db.query<{ is_done: boolean }>(
      'select not exists (select from events where id > (select after_id from first_event_search)) as is_done',
    );
    if (rows[0]!.is_done && share < IDLE) return;
  }
  throw new Error('the database does not come to rest');
}
