import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { invalid, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id, MetadataQuery, many, queryNumber, TimestampInput } from '@tributary/runtime/http/wire.ts';
import { organizationsOf } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { readFilter } from '../filters/read-filter.ts';
import { reachable } from '../scope.ts';
import { findEvents } from './find-events.flow.ts';
import { presentEvent } from './present.ts';
import { Event, EventSource } from './schema.ts';
import { readEvent } from './store.ts';

const reading = merchant('events:read', 'events:write');
const MIN_SEARCH = 3;

const EventQuery = z.object({
  filter: z.string().max(20_000).optional(),
  start_timestamp: TimestampInput.optional(),
  end_timestamp: TimestampInput.optional(),
  organization_id: many(Id),
  customer_id: many(Id),
  external_customer_id: many(z.string()),
  meter_id: Id.optional(),
  name: many(z.string()),
  source: many(EventSource),
  query: z.string().max(255).optional(),
  parent_id: Id.optional(),
  depth: queryNumber(z.number().int().min(0).max(5).optional()),
  ...pagingShape,
  sorting: sortedBy('EventSortProperty', ['timestamp'], ['-timestamp']),
  metadata: MetadataQuery,
});
type EventQuery = z.output<typeof EventQuery>;

export const eventRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/events/',
    operation: 'events:list',
    summary: 'List events',
    access: reading,
    query: EventQuery,
    response: listOf(Event),
    async handle({ query, principal }, { db, replicas }) {
      checkSearch(query);
      const { filter, external_customer_id, meter_id } = query;
      const page = await findEvents(
        db.manager,
        replicas.customers,
        {
          ...conditionsOf(query),
          organizations: reachable(principal, query.organization_id),
          filters: filter === undefined ? [] : [readFilter(filter, ['query', 'filter'])],
        },
        { external_customer_id, meter_id, reachable: organizationsOf(principal) },
        query,
        query.sorting,
      );
      return presentPage(page, query, presentEvent);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/events/{id}',
    operation: 'events:get',
    summary: 'Read an event',
    access: reading,
    params: z.object({ id: Id }),
    response: Event,
    problems: [ResourceNotFound],
    handle: async ({ params, principal }, { db, replicas }) =>
      presentEvent(await readEvent(db.manager, replicas.customers, organizationsOf(principal), params.id)),
  }),
];

function conditionsOf(query: EventQuery) {
  const { start_timestamp, end_timestamp, customer_id, name, source } = query;
  const { query: text, parent_id, depth, metadata } = query;
  return {
    start_timestamp,
    end_timestamp,
    customer_id,
    name,
    source,
    query: text,
    parent_id,
    depth,
    metadata,
  };
}

/** Free text goes through an organization's events one by one, so it must name the organization and be telling. */
function checkSearch({ query, organization_id }: EventQuery): void {
  if (query === undefined) return;
  if (query.length < MIN_SEARCH) {
    throw invalid(
      ['query', 'query'],
      `At least ${MIN_SEARCH} characters are needed`,
      'string_too_short',
      query,
    );
  }
  if (organization_id === undefined) {
    throw invalid(['query', 'organization_id'], 'Needed for a free-text search', 'missing');
  }
}
