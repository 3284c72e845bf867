import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { FileDownload } from '../files/schema.ts';

export const DownloadableRead = z
  .object({ id: Id, benefit_id: Id, file: FileDownload })
  .meta({ id: 'DownloadableRead' });
