import { merchant, userOnly } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { presentPage } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, notFound, Problem, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { withMemberships } from '../memberships/current-caller.flow.ts';
import { createOrganization } from './create-organization.flow.ts';
import {
  CannotCreateOrganizationError,
  changeOrganization,
  DisputeAutoAcceptNotEnabled,
  SSOEnforcementRequiresConnection,
} from './organization.ts';
import { presentOrganization } from './present.ts';
import {
  Organization,
  OrganizationCreate,
  OrganizationList,
  OrganizationQuery,
  OrganizationUpdate,
} from './schema.ts';
import { findOrganization, isPricedThroughout, listOrganizations, updateOrganization } from './store.ts';

const params = z.object({ id: Id });

/** Refuses with 404 an organization that the caller does not reach; returns the caller as of now. */
async function requireReach(db: Pick<Reader, 'query'>, caller: Principal, id: string): Promise<Principal> {
  const principal = await withMemberships(db, caller);
  if (!organizationsOf(principal).includes(id)) throw notFound();
  return principal;
}

export const organizationRoutes = [
  route({
    method: 'GET',
    path: '/v1/organizations/',
    operation: 'organizations:list',
    summary: 'List organizations',
    access: merchant('organizations:read', 'organizations:write'),
    query: OrganizationQuery,
    response: OrganizationList,
    async handle({ principal, query }, app) {
      const ids = organizationsOf(await withMemberships(app.db, principal));
      return presentPage(await listOrganizations(app.db.manager, ids, query), query, presentOrganization);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/organizations/',
    operation: 'organizations:create',
    summary: 'Create organization',
    changesReach: true,
    access: userOnly('organizations:write'),
    status: 201,
    body: OrganizationCreate,
    response: Organization,
    problems: [CannotCreateOrganizationError],
    handle: ({ principal, body, now, transaction }, app) =>
      transaction(async (tx) => {
        if (principal.kind !== 'user' || principal.is_limited) {
          throw new Problem(
            CannotCreateOrganizationError,
            'This token is limited to some organizations and cannot make another.',
          );
        }
        const { environment } = app;
        const founding = { input: body, userId: principal.user_id, environment, now };
        return presentOrganization(await createOrganization(tx, founding));
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/organizations/{id}',
    operation: 'organizations:get',
    summary: 'Get organization',
    access: merchant('organizations:read', 'organizations:write'),
    params,
    response: Organization,
    problems: [ResourceNotFound],
    async handle({ principal, params }, app) {
      await requireReach(app.db, principal, params.id);
      const organization = await findOrganization(app.db.manager, params.id);
      if (!organization) throw notFound();
      return presentOrganization(organization);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/organizations/{id}',
    operation: 'organizations:update',
    summary: 'Update organization',
    access: merchant('organizations:write'),
    params,
    body: OrganizationUpdate,
    response: Organization,
    problems: [NotPermitted, DisputeAutoAcceptNotEnabled, ResourceNotFound, SSOEnforcementRequiresConnection],
    handle: ({ principal, params, body, now, transaction }) =>
      transaction(async (tx) => {
        requireAdministrator(await requireReach(tx, principal, params.id), params.id);
        const organization = await updateOrganization(tx, params.id, async (before) => {
          const currency = body.default_presentment_currency ?? before.default_presentment_currency;
          const isCurrencyPriced = await isPricedThroughout(tx, params.id, currency);
          return changeOrganization(before, body, { isCurrencyPriced, now });
        });
        return presentOrganization(organization);
      }),
  }),
];
