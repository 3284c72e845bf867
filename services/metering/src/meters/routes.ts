import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id, MetadataQuery, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { reachable } from '../scope.ts';
import { countPast } from './backfill-meter.flow.ts';
import { labelsAfter } from './meter.ts';
import { presentMeter } from './present.ts';
import { Meter, MeterCreate, MeterUpdate } from './schema.ts';
import { insertMeter, listMeters, readMeter } from './store.ts';
import { updateMeter } from './update-meter.flow.ts';

const reading = merchant('meters:read', 'meters:write');
const writing = merchant('meters:write');
const params = z.object({ id: Id });
const NO_LABELS = { unit: 'scalar', custom_label: null, custom_multiplier: null } as const;

export const meterRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/meters/',
    operation: 'meters:list',
    summary: 'List meters',
    access: reading,
    query: z.object({
      organization_id: many(Id),
      query: SearchText,
      is_archived: QueryBoolean.optional(),
      metadata: MetadataQuery,
      ...pagingShape,
      sorting: sortedBy('MeterSortProperty', ['created_at', 'name'], ['name']),
    }),
    response: listOf(Meter),
    async handle({ query, principal }, { db }) {
      const organizations = reachable(principal, query.organization_id);
      return presentPage(
        await listMeters(db.manager, { ...query, organizations }, query, query.sorting),
        query,
        presentMeter,
      );
    },
  }),
  route({
    method: 'POST',
    path: '/v1/meters/',
    operation: 'meters:create',
    summary: 'Create a meter',
    access: writing,
    status: 201,
    body: MeterCreate,
    response: Meter,
    async handle({ body, principal, now, transaction }, app) {
      const organization_id = owningOrganization(principal, body.organization_id);
      requireAdministrator(principal, organization_id);
      const { name, filter, aggregation, metadata = {} } = body;
      const labels = labelsAfter(NO_LABELS, body);
      const presented = await transaction(async (tx) =>
        presentMeter(
          await insertMeter(tx, { organization_id, name, filter, aggregation, metadata, ...labels }, now),
        ),
      );
      await countPast(app.db, presented.id);
      return presented;
    },
  }),
  route({
    method: 'GET',
    path: '/v1/meters/{id}',
    operation: 'meters:get',
    summary: 'Read a meter',
    access: reading,
    params,
    response: Meter,
    problems: [ResourceNotFound],
    handle: async ({ params, principal }, { db }) =>
      presentMeter(await readMeter(db.manager, organizationsOf(principal), params.id)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/meters/{id}',
    operation: 'meters:update',
    summary: 'Change a meter',
    access: writing,
    params,
    body: MeterUpdate,
    response: Meter,
    problems: [ResourceNotFound],
    async handle({ params, body, principal, now, transaction }, app) {
      const organizations = organizationsOf(principal);
      requireAdministrator(
        principal,
        (await readMeter(app.db.manager, organizations, params.id)).organization_id,
      );
      const presented = await transaction(async (tx) =>
        presentMeter(await updateMeter(tx, organizations, params.id, body, now)),
      );
      await countPast(app.db, params.id);
      return presented;
    },
  }),
];
