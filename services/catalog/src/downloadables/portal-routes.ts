import { portal } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { Id, many } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { presentDownload } from '../files/present.ts';
import { portalHolder } from '../scope.ts';
import { readDownloadables } from './load-downloadables.flow.ts';
import { DownloadableRead } from './schema.ts';

/** How long a download link is good for. */
const DOWNLOAD_MS = 3_600_000;

export const portalDownloadableRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/downloadables/',
    operation: 'customer_portal:downloadables:list',
    summary: 'List the files the authenticated customer may download',
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: z.object({ ...pagingShape, benefit_id: many(Id) }),
    response: listOf(DownloadableRead),
    handle: async ({ query, principal, now }, { db, links }) => {
      const until = new Date(now.getTime() + DOWNLOAD_MS);
      const page = await readDownloadables(db.manager, portalHolder(principal), query);
      return presentPage(page, query, ({ downloadable: { id, benefit_id }, file }) => ({
        id,
        benefit_id,
        file: presentDownload(file, links.download(id, until), until),
      }));
    },
  }),
];
