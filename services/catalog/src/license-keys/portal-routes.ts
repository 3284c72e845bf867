import { anonymous, portal } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { BadRequest, NotPermitted, ResourceNotFound, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { portalHolder } from '../scope.ts';
import { shownActivations } from './portal-activations.flow.ts';
import { presentActivation, presentLicenseKey } from './present.ts';
import {
  LicenseKeyActivate,
  LicenseKeyActivationRead,
  LicenseKeyDeactivate,
  LicenseKeyRead,
  LicenseKeyValidate,
  LicenseKeyWithActivations,
  ValidatedLicenseKey,
} from './schema.ts';
import { getLicenseKey, type KeyScope, listLicenseKeys } from './store.ts';
import {
  activateKey,
  deactivateKey,
  validateKey,
  withCustomer,
  withCustomers,
} from './use-license-key.flow.ts';

const readers = portal('customer_portal:read', 'customer_portal:write');
const rate = 'portal_license_keys';

const scopeOf = (principal: Principal): KeyScope => portalHolder(principal);

export const portalLicenseKeyRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/license-keys/',
    operation: 'customer_portal:license_keys:list',
    summary: 'List the license keys of the authenticated customer',
    access: readers,
    query: z.object({ ...pagingShape, benefit_id: many(Id) }),
    response: listOf(LicenseKeyRead),
    problems: [Unauthorized, ResourceNotFound],
    handle: async ({ query, principal }, { db }) => {
      const { items, total } = await listLicenseKeys(db.manager, scopeOf(principal), query);
      return presentPage({ items: await withCustomers(db.manager, items), total }, query, presentLicenseKey);
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/license-keys/{id}',
    operation: 'customer_portal:license_keys:get',
    summary: 'Read a license key of the authenticated customer',
    access: readers,
    params: z.object({ id: Id }),
    response: LicenseKeyWithActivations,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db }) => {
      const key = await getLicenseKey(db.manager, scopeOf(principal), id);
      const activations = await shownActivations(db.manager, key);
      return {
        ...presentLicenseKey(await withCustomer(db.manager, key)),
        activations: activations.map(presentActivation),
      };
    },
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/license-keys/validate',
    operation: 'customer_portal:license_keys:validate',
    summary: 'Validate a license key, with nothing but the key',
    access: anonymous,
    rate,
    body: LicenseKeyValidate,
    response: ValidatedLicenseKey,
    problems: [BadRequest, ResourceNotFound],
    handle: ({ body, now, transaction }) =>
      transaction(async (tx) => {
        const { view, activation } = await validateKey(tx, body, now);
        return { ...presentLicenseKey(view), activation: activation && presentActivation(activation) };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/license-keys/activate',
    operation: 'customer_portal:license_keys:activate',
    summary: 'Activate a license key, with nothing but the key',
    access: anonymous,
    rate,
    body: LicenseKeyActivate,
    response: LicenseKeyActivationRead,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ body, now, transaction }) =>
      transaction(async (tx) => {
        const { view, activation } = await activateKey(tx, body, now);
        return { ...presentActivation(activation), license_key: presentLicenseKey(view) };
      }),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/license-keys/deactivate',
    operation: 'customer_portal:license_keys:deactivate',
    summary: 'Deactivate a license key, with nothing but the key',
    access: anonymous,
    rate,
    status: 204,
    body: LicenseKeyDeactivate,
    problems: [ResourceNotFound],
    handle: ({ body, transaction }) => transaction((tx) => deactivateKey(tx, body)),
  }),
];
