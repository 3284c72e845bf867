import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { EventSource } from '../events/schema.ts';
import { reachable } from '../scope.ts';
import { findNames } from './find-names.flow.ts';
import { presentEventType, presentName, presentTypeWithStats } from './present.ts';
import { EventName, EventType, EventTypeUpdate, EventTypeWithStats } from './schema.ts';
import { nameSortKeys, organizationOfType, typeSortKeys, updateEventType } from './store.ts';

const reading = merchant('events:read', 'events:write');

const common = {
  organization_id: many(Id),
  customer_id: many(Id),
  external_customer_id: many(z.string()),
  query: SearchText,
};

export const eventTypeRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/events/names',
    operation: 'events:list_names',
    summary: 'List event names',
    access: reading,
    query: z.object({
      ...common,
      source: many(EventSource),
      ...pagingShape,
      sorting: sortedBy('EventNamesSortProperty', nameSortKeys, ['-last_seen']),
    }),
    response: listOf(EventName),
    async handle({ query, principal }, { db }) {
      const { customer_id, external_customer_id, source, query: text } = query;
      const organizations = reachable(principal, query.organization_id);
      const filters = { organizations, customer_id, source, query: text };
      const page = await findNames(db.manager, filters, external_customer_id, query, query.sorting);
      return presentPage(page, query, presentName);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/event-types/',
    operation: 'event-types:list',
    summary: 'List event types',
    access: reading,
    query: z.object({
      ...common,
      root_events: QueryBoolean.default(false),
      parent_id: Id.optional(),
      source: EventSource.optional(),
      ...pagingShape,
      sorting: sortedBy('EventTypesSortProperty', typeSortKeys, ['-last_seen']),
    }),
    response: listOf(EventTypeWithStats),
    async handle({ query, principal }, { db }) {
      const { customer_id, external_customer_id, source, query: text, root_events, parent_id } = query;
      const filters = {
        organizations: reachable(principal, query.organization_id),
        customer_id,
        query: text,
        root_events,
        parent_id,
        source: source && [source],
      };
      const page = await findNames(db.manager, filters, external_customer_id, query, query.sorting);
      return presentPage(page, query, presentTypeWithStats);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/event-types/{id}',
    operation: 'event-types:update',
    summary: 'Change an event type',
    access: merchant('events:write'),
    params: z.object({ id: Id }),
    body: EventTypeUpdate,
    response: EventType,
    problems: [ResourceNotFound],
    async handle({ params, body, principal, now, transaction }, { db }) {
      const organizations = organizationsOf(principal);
      const organization = await organizationOfType(db.manager, organizations, params.id);
      if (!organization) throw notFound();
      requireAdministrator(principal, organization);
      return transaction(async (tx) =>
        presentEventType(await updateEventType(tx, organizations, params.id, body, now)),
      );
    },
  }),
];
