import { parentPort, workerData } from 'node:worker_threads';
import { failureOf } from './failure.ts';
import { createGroupStore } from './group-store.ts';
import type { Done, Task } from './large-requests.ts';

/** The thread of large requests. */
const port = parentPort!;
const store = createGroupStore(workerData as string);

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
