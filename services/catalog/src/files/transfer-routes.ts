import { anonymous } from '@tributary/proto/access.ts';
import { BadRequest, notFound, Problem, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Reply } from '@tributary/runtime/http/reply.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { takeDownload } from '../downloadables/take-download.flow.ts';
import { ResourceUnavailable } from '../problems.ts';
import { isPublic } from './file.ts';
import { DOWNLOAD_PATH, type FileLinks, type Pass, PUBLIC_PATH, UPLOAD_PATH } from './links.ts';
import { openFile } from './open-file.ts';
import { receivePart } from './receive-part.flow.ts';
import { PartTooLarge } from './storage.ts';
import { findFile } from './store.ts';

const params = z.object({ token: z.string().max(1_000) });

/** The pass a token carries; one that was never given out is unknown, one past its time is gone. */
function passOf<F extends Pass['for']>(links: FileLinks, token: string, purpose: F, now: Date) {
  const pass = links.read(token);
  if (pass?.for !== purpose) throw notFound('This link is not valid.');
  if (pass.until * 1_000 <= now.getTime()) throw new Problem(ResourceUnavailable, 'This link has expired.');
  return pass as Extract<Pass, { for: F }>;
}

/** Bytes in and out, for whoever holds a signed address. Not part of the public contract: addresses are given out. */
export const transferRoutes = [
  route({
    method: 'PUT',
    path: UPLOAD_PATH,
    operation: 'storage:upload',
    summary: 'Send one part of a file to its signed address',
    access: anonymous,
    rate: 'unlimited',
    upload: true,
    params,
    problems: [BadRequest, ResourceNotFound, ResourceUnavailable, PartTooLarge],
    handle: async ({ params: { token }, stream, now }, app) => {
      const pass = passOf(app.links, token, 'upload', now);
      return new Reply(200, undefined, { etag: `"${await receivePart(app, pass.file, pass.part, stream)}"` });
    },
  }),
  route({
    method: 'GET',
    path: DOWNLOAD_PATH,
    operation: 'storage:download',
    summary: 'Fetch a downloadable file from its signed address',
    access: anonymous,
    rate: 'unlimited',
    params,
    problems: [ResourceNotFound, ResourceUnavailable],
    handle: async ({ params: { token }, now, transaction }, { links, storage }) => {
      const pass = passOf(links, token, 'download', now);
      const file = await transaction((tx) => takeDownload(tx, pass.downloadable, now));
      return openFile(storage, file, 'attachment', now);
    },
  }),
  route({
    method: 'GET',
    path: PUBLIC_PATH,
    operation: 'storage:public',
    summary: 'Fetch a public file',
    access: anonymous,
    rate: 'unlimited',
    params: z.object({ id: Id, name: z.string().max(1_000) }),
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, now }, { db, storage }) => {
      const file = await findFile(db.manager, id);
      if (!file?.is_uploaded || file.deleted_at || !isPublic(file.service)) throw notFound('File not found');
      return openFile(storage, file, 'inline', now);
    },
  }),
];
