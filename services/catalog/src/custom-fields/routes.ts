import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { invalid, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many, SearchText } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { presentCustomField } from './present.ts';
import { CustomField, CustomFieldCreate, CustomFieldTypeShape, CustomFieldUpdate } from './schema.ts';
import {
  customFieldSortKeys,
  deleteCustomField,
  getCustomField,
  insertCustomField,
  listCustomFields,
  updateCustomField,
} from './store.ts';

const params = z.object({ id: Id });

export const customFieldRoutes = [
  route({
    method: 'GET',
    path: '/v1/custom-fields/',
    operation: 'custom-fields:list',
    summary: 'List custom fields',
    access: merchant('custom_fields:read', 'custom_fields:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('CustomFieldSortProperty', customFieldSortKeys, ['slug']),
      organization_id: many(Id),
      query: SearchText,
      type: many(CustomFieldTypeShape),
    }),
    response: listOf(CustomField),
    handle: async ({ query, principal }, { db }) =>
      presentPage(
        await listCustomFields(db.manager, reachable(principal, query.organization_id), query),
        query,
        presentCustomField,
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/custom-fields/',
    operation: 'custom-fields:create',
    summary: 'Create a custom field',
    access: merchant('custom_fields:write'),
    status: 201,
    body: CustomFieldCreate,
    response: CustomField,
    handle: (call) => {
      const organizationId = owningOrganization(call.principal, call.body.organization_id);
      requireAdministrator(call.principal, organizationId);
      return call.transaction(async (tx) =>
        presentCustomField(await insertCustomField(tx, organizationId, call.body, call.now)),
      );
    },
  }),
  route({
    method: 'GET',
    path: '/v1/custom-fields/{id}',
    operation: 'custom-fields:get',
    summary: 'Read a custom field',
    access: merchant('custom_fields:read', 'custom_fields:write'),
    params,
    response: CustomField,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db }) =>
      presentCustomField(await getCustomField(db.manager, reachable(principal), id)),
  }),
  route({
    method: 'PATCH',
    path: '/v1/custom-fields/{id}',
    operation: 'custom-fields:update',
    summary: 'Update a custom field',
    access: merchant('custom_fields:write'),
    params,
    body: CustomFieldUpdate,
    response: CustomField,
    problems: [ResourceNotFound],
    handle: (call) =>
      call.transaction(async (tx) => {
        const field = await getCustomField(tx, reachable(call.principal), call.params.id, true);
        requireAdministrator(call.principal, field.organization_id);
        if (call.body.type !== field.type) {
          throw invalid(
            ['body', 'type'],
            'The type of a custom field cannot change.',
            'value_error',
            call.body.type,
          );
        }
        const changed = await updateCustomField(tx, field, call.body, call.now);
        await requestSweep(tx, 'products-of-custom-field', field.id, call.now);
        return presentCustomField(changed);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/custom-fields/{id}',
    operation: 'custom-fields:delete',
    summary: 'Delete a custom field',
    access: merchant('custom_fields:write'),
    status: 204,
    params,
    problems: [ResourceNotFound],
    handle: (call) =>
      call.transaction(async (tx) => {
        const field = await getCustomField(tx, reachable(call.principal), call.params.id, true);
        requireAdministrator(call.principal, field.organization_id);
        await deleteCustomField(tx, field, call.now);
        await requestSweep(tx, 'products-of-custom-field', field.id, call.now);
      }),
  }),
];
