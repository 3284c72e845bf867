import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { Id, many, QueryBoolean } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { readGrants } from './load-grants.flow.ts';
import { presentGrant } from './present.ts';
import { BenefitGrant } from './schema.ts';
import { grantSortKeys } from './store.ts';

export const benefitGrantRoutes = [
  route({
    method: 'GET',
    path: '/v1/benefit-grants/',
    operation: 'benefit-grants:list',
    summary: 'List benefit grants',
    access: merchant('benefits:read', 'benefits:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('BenefitGrantSortProperty', grantSortKeys, ['-created_at']),
      organization_id: many(Id),
      customer_id: many(Id),
      external_customer_id: many(z.string().max(255)),
      is_granted: QueryBoolean.optional(),
    }),
    response: listOf(BenefitGrant),
    handle: async ({ query, principal }, { db }) =>
      presentPage(
        await readGrants(db.manager, reachable(principal, query.organization_id), query),
        query,
        presentGrant,
      ),
  }),
];
