import { createGroupStore, type Ingest } from './group-store.ts';
import { largeRequests } from './large-requests.ts';

export type { Ingest } from './group-store.ts';

/** Longer requests, of about 100 events or more, are worth the way to another thread. */
const MAX_BYTES = 48 * 1024;

export function createIngest(databaseUrl: string): Ingest {
  const here = createGroupStore(databaseUrl);
  const elsewhere = largeRequests(databaseUrl);
  return {
    take: (request) => (request.bytes.length > MAX_BYTES ? elsewhere : here).take(request),
    takeIn: here.takeIn,
    close: async () => {
      await Promise.all([here.close(), elsewhere.close()]);
    },
  };
}
