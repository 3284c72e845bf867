import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, MetadataQuery, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { readGrants } from '../benefit-grants/load-grants.flow.ts';
import { presentGrant } from '../benefit-grants/present.ts';
import { BenefitGrant } from '../benefit-grants/schema.ts';
import { presentFile } from '../files/present.ts';
import { BenefitDownloadableFile } from '../files/schema.ts';
import { reachable } from '../scope.ts';
import { listBenefitFiles } from './benefit-files.flow.ts';
import { presentBenefit } from './present.ts';
import { changeBenefit, createBenefit, deleteBenefit, readMeters } from './save-benefit.flow.ts';
import { Benefit, BenefitCreate, BenefitTypeShape, BenefitUpdate } from './schema.ts';
import { benefitSortKeys, getBenefit, listBenefits } from './store.ts';

const params = z.object({ id: Id });
const readers = merchant('benefits:read', 'benefits:write');
const writers = merchant('benefits:write');

export const benefitRoutes = [
  route({
    method: 'GET',
    path: '/v1/benefits/',
    operation: 'benefits:list',
    summary: 'List benefits',
    access: readers,
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('BenefitSortProperty', benefitSortKeys, ['-created_at']),
      organization_id: many(Id),
      type: many(BenefitTypeShape),
      id: many(Id),
      exclude_id: many(Id),
      query: SearchText,
      metadata: MetadataQuery,
    }),
    response: listOf(Benefit),
    handle: async ({ query, principal }, { db }) =>
      presentPage(
        await listBenefits(db.manager, reachable(principal, query.organization_id), query),
        query,
        presentBenefit,
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/benefits/',
    operation: 'benefits:create',
    summary: 'Create a benefit',
    access: writers,
    status: 201,
    body: BenefitCreate,
    response: Benefit,
    handle: async ({ principal, body, now, transaction }, app) => {
      const organizationId = owningOrganization(principal, body.organization_id);
      requireAdministrator(principal, organizationId);
      const meters = await readMeters(app, body);
      return transaction((tx) => createBenefit(tx, organizationId, body, meters, now));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/benefits/{id}',
    operation: 'benefits:get',
    summary: 'Read a benefit',
    access: readers,
    params,
    response: Benefit,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db }) =>
      presentBenefit(await getBenefit(db.manager, reachable(principal), id)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/benefits/{id}',
    operation: 'benefits:update',
    summary: 'Update a benefit',
    access: writers,
    params,
    body: BenefitUpdate,
    response: Benefit,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal, body, now, transaction }, app) => {
      const { organization_id } = await getBenefit(app.db.manager, reachable(principal), id);
      requireAdministrator(principal, organization_id);
      const meters = await readMeters(app, body);
      return transaction(async (tx) => {
        const benefit = await getBenefit(tx, [organization_id], id, true);
        return changeBenefit(tx, benefit, body, meters, now);
      });
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/benefits/{id}',
    operation: 'benefits:delete',
    summary: 'Delete a benefit and revoke its grants',
    access: writers,
    status: 204,
    params,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ params: { id }, principal, now, transaction }) =>
      transaction(async (tx) => {
        const benefit = await getBenefit(tx, reachable(principal), id, true);
        requireAdministrator(principal, benefit.organization_id);
        await deleteBenefit(tx, benefit, now);
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/benefits/{id}/files',
    operation: 'benefits:files',
    summary: 'List the files of a benefit',
    access: readers,
    params,
    query: z.object(pagingShape),
    response: listOf(BenefitDownloadableFile),
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, query, principal }, { db, links }) => {
      const benefit = await getBenefit(db.manager, reachable(principal), id);
      const page = await listBenefitFiles(db.manager, benefit, query);
      return presentPage(page, query, ({ file, downloads, downloaders }) => ({
        ...presentFile(file, links),
        service: 'downloadable' as const,
        flagged_malicious_at: file.flagged_malicious_at?.toISOString() ?? null,
        downloads,
        downloaders,
      }));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/benefits/{id}/grants',
    operation: 'benefits:grants',
    summary: 'List the grants of a benefit',
    access: readers,
    params,
    query: z.object({
      ...pagingShape,
      is_granted: QueryBoolean.optional(),
      customer_id: many(Id),
      member_id: many(Id),
    }),
    response: listOf(BenefitGrant),
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, query, principal }, { db }) => {
      const benefit = await getBenefit(db.manager, reachable(principal), id);
      const filter = { ...query, benefit_id: [benefit.id] };
      return presentPage(
        await readGrants(db.manager, [benefit.organization_id], filter),
        query,
        presentGrant,
      );
    },
  }),
];
