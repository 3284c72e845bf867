import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { presentMember } from './present.ts';
import { MemberRoleShape, MemberShape } from './schema.ts';
import { listMembers } from './store.ts';

export const memberRoutes = [
  route({
    method: 'GET',
    path: '/v1/members/',
    operation: 'members:list_members',
    summary: 'List members',
    access: merchant('members:read', 'members:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('MemberSortProperty', ['created_at'], ['-created_at']),
      customer_id: z.string().max(255).optional(),
      external_customer_id: z.string().max(255).optional(),
      role: MemberRoleShape.optional(),
    }),
    response: listOf(MemberShape),
    handle: async ({ query, principal }, { db }) => {
      // The one list where the contract treats a malformed id as one that nobody has.
      if (query.customer_id !== undefined && !Id.safeParse(query.customer_id).success) {
        throw notFound('Customer not found');
      }
      return presentPage(await listMembers(db.manager, reachable(principal), query), query, presentMember);
    },
  }),
];
