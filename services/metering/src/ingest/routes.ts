import { merchant } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import { type App, route } from '../app.ts';
import type { IngestedEvent } from './event-input.ts';
import type { Outcome } from './ingest-events.flow.ts';
import { readBatch } from './read-batch.ts';
import { EventsIngest, EventsIngestResponse } from './schema.ts';

/** At most this many are asked for, and told of; nobody names more strangers than that in good faith. */
const MAX_ASKED = 1_000;

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
    async handle(call, app) {
      const events = await readBatch(call.text, call.principal, call.now);
      requireRole(call.principal, events);
      const store = call.headers['idempotency-key']
        ? () => call.transaction(async (tx) => counted(await app.ingest.storeIn(tx, events, call.now)))
        : async () => counted(await app.ingest.store(events, call.now));
      try {
        return await store();
      } catch (error) {
        if (!(error instanceof UnknownPeople)) throw error;
        await askForUnknown(events, error, app);
        return await store().catch((second: unknown) => {
          throw second instanceof UnknownPeople ? second.problem(events) : second;
        });
      }
    },
  }),
];

function requireRole(principal: Principal, events: readonly IngestedEvent[]): void {
  if (principal.kind !== 'user') return;
  for (const id of new Set(events.map((event) => event.organization_id))) requireAdministrator(principal, id);
}

/** Customers and members that the copies here do not have; nothing of the request was stored. */
class UnknownPeople extends Error {
  readonly unknown: { index: number; field: 'customer_id' | 'member_id' }[];

  constructor(unknown: { index: number; field: 'customer_id' | 'member_id' }[]) {
    super('events name customers or members that are not here');
    this.unknown = unknown;
  }

  problem(events: readonly IngestedEvent[]): ValidationProblem {
    return new ValidationProblem(
      this.unknown.slice(0, MAX_ASKED).map(({ index, field }): Issue => {
        const what = field === 'customer_id' ? 'Customer' : 'Member';
        const input = events[index]![field];
        return {
          loc: ['body', 'events', index, field],
          msg: `${what} not found.`,
          type: 'value_error',
          input,
        };
      }),
    );
  }
}

function counted(outcome: Outcome): { inserted: number; duplicates: number } {
  if ('unknown' in outcome) throw new UnknownPeople(outcome.unknown);
  return outcome;
}

/** A customer made a moment ago may not have reached the copies: their owner is asked once. */
async function askForUnknown(
  events: readonly IngestedEvent[],
  { unknown }: UnknownPeople,
  app: App,
): Promise<void> {
  const idsOf = (field: 'customer_id' | 'member_id') =>
    unknown.filter((one) => one.field === field).map(({ index }) => events[index]![field]!);
  await app.replicas.customers.get(app.db.manager, idsOf('customer_id').slice(0, MAX_ASKED));
  const members = [...idsOf('member_id'), ...unknown.flatMap(({ index }) => events[index]!.member_id ?? [])];
  await app.replicas.members.get(app.db.manager, members.slice(0, MAX_ASKED));
}
