import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import { createGroupStore } from './group-store.ts';
import type { Done, Task } from './large-requests.ts';

/** A process that was not told otherwise has priority 0; greater numbers stand behind. */
const BEHIND = 10;

/** The thread of large requests. Where it competes for processors with those who answer small ones, these go first. */
const port = parentPort!;
const store = createGroupStore(workerData as string);
// Of a single thread only on Linux; elsewhere it would be the whole process. Nobody but root may go forward again.
if (process.platform === 'linux') setPriority(0, Math.max(getPriority(), BEHIND));

port.on('message', async (task: Task | 'end') => {
  if (task === 'end') {
    await store.close();
    port.close();
    return;
  }
  const { id, request } = task;
  const done: Done = await store.take(request).then(
    (answer) => ({ id, answer }),
    (error: unknown) => ({ id, failure: failureOf(error) }),
  );
  port.postMessage(done);
});
