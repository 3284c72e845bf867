import type { Principal } from '@tributary/proto/principal.ts';
import { textOf } from '@tributary/runtime/http/body.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import type { Outcome, Unknown } from './accept.ts';
import type { IngestedEvent } from './event-input.ts';
import { readBatch } from './read-batch.ts';

/** An ingest request as it came. */
export interface IngestRequest {
  /** JSON, not yet looked at. */
  bytes: Uint8Array;
  principal: Principal;
  now: Date;
}

/** Whom an event names who is not here. */
export interface Stranger extends Unknown {
  id: string;
  member_id: string | null;
}

/** What a request is answered with; where it names strangers, nothing of it is stored. */
export type IngestAnswer = { inserted: number; duplicates: number } | { strangers: Stranger[] };

/** The events of a request, once every check is passed that needs no database. */
export async function eventsOf({ bytes, principal, now }: IngestRequest): Promise<IngestedEvent[]> {
  const events = await readBatch(textOf(bytes), principal, now);
  if (principal.kind === 'user') {
    for (const id of new Set(events.map((event) => event.organization_id)))
      requireAdministrator(principal, id);
  }
  return events;
}

/** At most this many are asked for, and told of; nobody names more strangers than that in good faith. */
const MAX_STRANGERS = 1_000;

export function answerOf(outcome: Outcome, events: readonly IngestedEvent[]): IngestAnswer {
  if (!('unknown' in outcome)) return outcome;
  return {
    strangers: outcome.unknown.slice(0, MAX_STRANGERS).map(({ index, field }) => {
      const event = events[index]!;
      return { index, field, id: event[field]!, member_id: event.member_id };
    }),
  };
}

export const strangersProblem = (strangers: readonly Stranger[]): ValidationProblem =>
  new ValidationProblem(
    strangers.map(
      ({ index, field, id }): Issue => ({
        loc: ['body', 'events', index, field],
        msg: `${field === 'customer_id' ? 'Customer' : 'Member'} not found.`,
        type: 'value_error',
        input: id,
      }),
    ),
  );
