import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { changeFile, deleteFile } from './change-file.flow.ts';
import { presentFile, presentUpload } from './present.ts';
import { FileCreate, FilePatch, FileRead, FileUpload, FileUploadCompleted } from './schema.ts';
import { getFile, listFiles } from './store.ts';
import { assembleUpload, beginUpload, completeUpload, recordUpload } from './upload-file.flow.ts';

const params = z.object({ id: Id });
const writers = merchant('files:write');

export const fileRoutes = [
  route({
    method: 'GET',
    path: '/v1/files/',
    operation: 'files:list',
    summary: 'List uploaded files',
    access: merchant('files:read', 'files:write'),
    query: z.object({ ...pagingShape, organization_id: many(Id), ids: many(Id) }),
    response: listOf(FileRead),
    handle: async ({ query, principal }, { db, links }) =>
      presentPage(
        await listFiles(db.manager, reachable(principal, query.organization_id), query),
        query,
        (file) => presentFile(file, links),
      ),
  }),
  route({
    method: 'POST',
    path: '/v1/files/',
    operation: 'files:create',
    summary: 'Create a file and get the addresses to upload its parts to',
    access: writers,
    status: 201,
    body: FileCreate,
    response: FileUpload,
    handle: async ({ principal, body, now, transaction }, app) => {
      const organizationId = owningOrganization(principal, body.organization_id);
      requireAdministrator(principal, organizationId);
      const upload = await beginUpload(app, organizationId, body, now);
      return transaction(async (tx) => {
        await recordUpload(tx, upload);
        return presentUpload(upload.file, upload.addresses, upload.until);
      });
    },
  }),
  route({
    method: 'POST',
    path: '/v1/files/{id}/uploaded',
    operation: 'files:uploaded',
    summary: 'Complete the upload of a file',
    access: writers,
    params,
    body: FileUploadCompleted,
    response: FileRead,
    problems: [NotPermitted, ResourceNotFound],
    handle: async ({ params: { id }, principal, body, now, transaction }, app) => {
      const file = await getFile(app.db.manager, reachable(principal), id);
      requireAdministrator(principal, file.organization_id);
      const object = await assembleUpload(app, file, body);
      return transaction(async (tx) => presentFile(await completeUpload(tx, file, object, now), app.links));
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/files/{id}',
    operation: 'files:update',
    summary: 'Update a file',
    access: writers,
    params,
    body: FilePatch,
    response: FileRead,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ params: { id }, principal, body, now, transaction }, { links }) =>
      transaction(async (tx) => {
        const file = await getFile(tx, reachable(principal), id, true);
        requireAdministrator(principal, file.organization_id);
        return presentFile(await changeFile(tx, file, body, now), links);
      }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/files/{id}',
    operation: 'files:delete',
    summary: 'Delete a file',
    access: writers,
    status: 204,
    params,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ params: { id }, principal, now, transaction }) =>
      transaction(async (tx) => {
        const file = await getFile(tx, reachable(principal), id, true);
        requireAdministrator(principal, file.organization_id);
        await deleteFile(tx, file, now);
      }),
  }),
];
