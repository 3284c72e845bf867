import { merchant } from '@tributary/proto/access.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { type App, route } from '../app.ts';
import type { Replicas } from '../replicas.ts';
import { type IngestAnswer, type Stranger, strangersProblem } from './request.ts';
import { EventsIngest, EventsIngestResponse } from './schema.ts';

export const ingestRoutes: Route<App>[] = [
  route({
    method: 'POST',
    path: '/v1/events/ingest',
    operation: 'events:ingest',
    summary: 'Ingest events',
    access: merchant('events:write'),
    body: EventsIngest,
    raw: true,
    response: EventsIngestResponse,
    async handle({ bytes, principal, now, headers, transaction }, { ingest, replicas, db }) {
      const request = { bytes, principal, now };
      const take = () =>
        headers['idempotency-key']
          ? transaction(async (tx) => stored(await ingest.takeIn(tx, request)))
          : ingest.take(request).then(stored);
      return take().catch(async (error: unknown) => {
        if (!(error instanceof NotStored)) throw error;
        await askFor(error.strangers, replicas, db.manager);
        return take().catch((second: unknown) => {
          throw second instanceof NotStored ? strangersProblem(second.strangers) : second;
        });
      });
    },
  }),
];

/** Nothing of the request was stored, and nothing is to be kept under its idempotency key. */
class NotStored extends Error {
  readonly strangers: readonly Stranger[];

  constructor(strangers: readonly Stranger[]) {
    super('events name customers or members that are not here');
    this.strangers = strangers;
  }
}

function stored(answer: IngestAnswer) {
  if ('strangers' in answer) throw new NotStored(answer.strangers);
  return answer;
}

/** A customer made a moment ago may not have reached the copies: their owner is asked once. */
async function askFor(
  strangers: readonly Stranger[],
  { customers, members }: Replicas,
  reader: Reader,
): Promise<void> {
  const customerIds = strangers.filter(({ field }) => field === 'customer_id').map(({ id }) => id);
  await customers.get(reader, customerIds);
  await members.get(
    reader,
    strangers.flatMap(({ member_id }) => member_id ?? []),
  );
}
