import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import {
  BadRequest,
  NotPermitted,
  Problem,
  ResourceNotFound,
  Unauthorized,
} from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { addMember } from './add-member.flow.ts';
import { prepareChange, prepareRemoval, removeMemberOf, updateMember } from './change-member.flow.ts';
import { presentPortalMember } from './present.ts';
import { ownTeam } from './reach-customer.flow.ts';
import { CustomerPortalMember, CustomerPortalMemberCreate, CustomerPortalMemberUpdate } from './schema.ts';
import { listMembers } from './store.ts';

const access = { schemes: ['member_session'], scopes: ['customer_portal:write'] } as const;
const params = z.object({ id: z.uuid() });
const oldestFirst = [{ by: 'created_at', direction: 'ASC' }] as const;
const refusals = [BadRequest, Unauthorized, NotPermitted] as const;

/** Nobody takes themselves out or down: a team must not lock itself out by a slip. */
function requireSomebodyElse(id: string, memberId: string): void {
  if (id === memberId) throw new Problem(BadRequest, 'You cannot do this to yourself.');
}

export const memberPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/members',
    operation: 'customer_portal:members:list_members',
    summary: 'List the members of your team',
    access,
    query: z.object(pagingShape),
    response: listOf(CustomerPortalMember),
    problems: [Unauthorized, NotPermitted],
    handle: async ({ query, principal }, app) => {
      const { team } = await ownTeam(app, principal);
      const found = { ...query, sorting: [...oldestFirst], customer_id: team.id };
      return presentPage(
        await listMembers(app.db.manager, [team.organization_id], found),
        query,
        presentPortalMember,
      );
    },
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/members',
    operation: 'customer_portal:members:add_member',
    summary: 'Add a member to your team',
    access,
    status: 201,
    body: CustomerPortalMemberCreate,
    response: CustomerPortalMember,
    problems: refusals,
    handle: async (call, app) => {
      const { team } = await ownTeam(app, call.principal);
      if (call.body.role === 'owner') {
        throw new Problem(
          BadRequest,
          'A team has one owner: add the member first, then hand over ownership.',
        );
      }
      return call.transaction(async (tx) => {
        const { member, isNew } = await addMember(tx, team, call.body, true, call.now);
        if (!isNew) throw new Problem(BadRequest, 'This person is a member already.');
        return presentPortalMember(member);
      });
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/customer-portal/members/{id}',
    operation: 'customer_portal:members:update_member',
    summary: 'Change a member of your team',
    access,
    params,
    body: CustomerPortalMemberUpdate,
    response: CustomerPortalMember,
    problems: [...refusals, ResourceNotFound],
    handle: async (call, app) => {
      const { team, memberId } = await ownTeam(app, call.principal);
      if (call.body.role != null) requireSomebodyElse(call.params.id, memberId);
      requireOwnerToHandOver(call.principal, call.body.role);
      await prepareChange(app, team.id, call.params, call.body, call.now);
      return call.transaction(async (tx) =>
        presentPortalMember(await updateMember(tx, team.id, call.params, call.body, call.now)),
      );
    },
  }),
  route({
    method: 'DELETE',
    path: '/v1/customer-portal/members/{id}',
    operation: 'customer_portal:members:remove_member',
    summary: 'Remove a member from your team',
    access,
    status: 204,
    params,
    problems: [...refusals, ResourceNotFound],
    handle: async (call, app) => {
      const { team, memberId } = await ownTeam(app, call.principal);
      requireSomebodyElse(call.params.id, memberId);
      await prepareRemoval(app, team.id, call.params, call.now);
      await call.transaction(async (tx) => {
        await removeMemberOf(tx, team.id, call.params, call.now);
      });
    },
  }),
];

/** Ownership is the owner's to give. */
function requireOwnerToHandOver(principal: Principal, role: string | null | undefined): void {
  if (role === 'owner' && (principal as PrincipalOf<'member'>).role !== 'owner') {
    throw new Problem(NotPermitted, 'Only the owner can hand over ownership.');
  }
}
