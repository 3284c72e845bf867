import { merchant } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import {
  BadRequest,
  NotPermitted,
  notFound,
  ResourceNotFound,
  Unauthorized,
} from '@tributary/runtime/http/problem.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { presentActivation, presentLicenseKey } from './present.ts';
import {
  LicenseKeyActivate,
  LicenseKeyActivationRead,
  LicenseKeyDeactivate,
  LicenseKeyRead,
  LicenseKeyStatusShape,
  LicenseKeyUpdate,
  LicenseKeyValidate,
  LicenseKeyWithActivations,
  ValidatedLicenseKey,
} from './schema.ts';
import { activationsOf, findActivation, getLicenseKey, listLicenseKeys } from './store.ts';
import { changeLicenseKey } from './update-license-key.flow.ts';
import {
  activateKey,
  deactivateKey,
  validateKey,
  withCustomer,
  withCustomers,
} from './use-license-key.flow.ts';

const params = z.object({ id: Id });
const readers = merchant('license_keys:read', 'license_keys:write');
const writers = merchant('license_keys:write');

const scopeOf = (principal: Principal, wanted?: readonly string[]) => ({
  organizationIds: reachable(principal, wanted),
});

/** The organization of a key is named in the body: one that the caller does not reach has no keys. */
function requireReach(principal: Principal, organizationId: string): void {
  if (!reachable(principal).includes(organizationId)) throw notFound('License key not found.');
  requireAdministrator(principal, organizationId);
}

export const licenseKeyRoutes = [
  route({
    method: 'GET',
    path: '/v1/license-keys/',
    operation: 'license_keys:list',
    summary: 'List license keys',
    access: readers,
    query: z.object({
      ...pagingShape,
      organization_id: many(Id),
      benefit_id: many(Id),
      status: many(LicenseKeyStatusShape),
    }),
    response: listOf(LicenseKeyRead),
    problems: [Unauthorized, ResourceNotFound],
    handle: async ({ query, principal }, { db }) => {
      const scope = scopeOf(principal, query.organization_id);
      const { items, total } = await listLicenseKeys(db.manager, scope, query);
      return presentPage({ items: await withCustomers(db.manager, items), total }, query, presentLicenseKey);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/license-keys/{id}',
    operation: 'license_keys:get',
    summary: 'Read a license key',
    access: readers,
    params,
    response: LicenseKeyWithActivations,
    problems: [Unauthorized, ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db }) => {
      const key = await getLicenseKey(db.manager, scopeOf(principal), id);
      const activations = await activationsOf(db.manager, key.id);
      return {
        ...presentLicenseKey(await withCustomer(db.manager, key)),
        activations: activations.map(presentActivation),
      };
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/license-keys/{id}',
    operation: 'license_keys:update',
    summary: 'Update a license key',
    access: writers,
    params,
    body: LicenseKeyUpdate,
    response: LicenseKeyRead,
    problems: [Unauthorized, ResourceNotFound],
    handle: ({ params: { id }, principal, body, now, transaction }) =>
      transaction(async (tx) => {
        const found = await getLicenseKey(tx, scopeOf(principal), id);
        requireAdministrator(principal, found.organization_id);
        const key = await changeLicenseKey(tx, found, body, now);
        return presentLicenseKey(await withCustomer(tx, key));
      }),
  }),
  route({
    method: 'GET',
    path: '/v1/license-keys/{id}/activations/{activation_id}',
    operation: 'license_keys:get_activation',
    summary: 'Read an activation of a license key',
    access: readers,
    params: z.object({ id: Id, activation_id: Id }),
    response: LicenseKeyActivationRead,
    problems: [Unauthorized, ResourceNotFound],
    handle: async ({ params: { id, activation_id }, principal }, { db }) => {
      const key = await getLicenseKey(db.manager, scopeOf(principal), id);
      const activation = await findActivation(db.manager, key.id, activation_id);
      if (!activation) throw notFound('Activation not found');
      return {
        ...presentActivation(activation),
        license_key: presentLicenseKey(await withCustomer(db.manager, key)),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/license-keys/validate',
    operation: 'license_keys:validate',
    summary: 'Validate a license key',
    access: writers,
    body: LicenseKeyValidate,
    response: ValidatedLicenseKey,
    problems: [BadRequest, ResourceNotFound],
    handle: ({ principal, body, now, transaction }) => {
      requireReach(principal, body.organization_id);
      return transaction(async (tx) => {
        const { view, activation } = await validateKey(tx, body, now);
        return { ...presentLicenseKey(view), activation: activation && presentActivation(activation) };
      });
    },
  }),
  route({
    method: 'POST',
    path: '/v1/license-keys/activate',
    operation: 'license_keys:activate',
    summary: 'Activate a license key',
    access: writers,
    body: LicenseKeyActivate,
    response: LicenseKeyActivationRead,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ principal, body, now, transaction }) => {
      requireReach(principal, body.organization_id);
      return transaction(async (tx) => {
        const { view, activation } = await activateKey(tx, body, now);
        return { ...presentActivation(activation), license_key: presentLicenseKey(view) };
      });
    },
  }),
  route({
    method: 'POST',
    path: '/v1/license-keys/deactivate',
    operation: 'license_keys:deactivate',
    summary: 'Deactivate a license key',
    access: writers,
    status: 204,
    body: LicenseKeyDeactivate,
    problems: [ResourceNotFound],
    handle: ({ principal, body, transaction }) => {
      requireReach(principal, body.organization_id);
      return transaction((tx) => deactivateKey(tx, body));
    },
  }),
];
