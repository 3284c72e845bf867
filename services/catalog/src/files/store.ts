import {
  bigint,
  boolean,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereIn } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import type { FileService, StoredFile } from './file.ts';

export const files = new EntitySchema<StoredFile>({
  name: 'files',
  columns: {
    ...recorded,
    organization_id: uuid,
    deleted_at: nullable(timestamp),
    erased_at: nullable(timestamp),
    service: text,
    name: text,
    path: text,
    mime_type: text,
    size: bigint,
    version: nullable(text),
    upload_id: nullable(text),
    parts: json,
    is_uploaded: boolean,
    storage_version: nullable(text),
    checksum_etag: nullable(text),
    checksum_sha256_base64: nullable(text),
    checksum_sha256_hex: nullable(text),
    last_modified_at: nullable(timestamp),
    flagged_malicious_at: nullable(timestamp),
  },
});

const NEWEST_FIRST = [{ by: 'created_at', direction: 'DESC' }] as const;

export function listFiles(
  reader: Reader,
  organizationIds: readonly string[],
  query: Paging & { ids?: string[] },
): Promise<Page<StoredFile>> {
  const builder = reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where("file.is_uploaded and file.deleted_at is null and file.service <> 'support_case_attachment'");
  whereIn(builder, 'file.id', query.ids);
  const columns = { created_at: 'file.created_at' };
  return pageOf(builder, query, NEWEST_FIRST, columns, { organizations: organizationIds });
}

export async function getFile(
  reader: Reader,
  organizationIds: readonly string[],
  id: string,
  lock = false,
): Promise<StoredFile> {
  const builder = reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('file.id = :id and file.deleted_at is null', { id });
  whereIn(builder, 'file.organization_id', organizationIds);
  if (lock) builder.setLock('pessimistic_write');
  const file = await builder.getOne();
  if (!file) throw notFound('File not found');
  return file;
}

/** A file whatever its state, for those who hold a signed address of it. */
export const findFile = (reader: Reader, id: string): Promise<StoredFile | null> =>
  reader.getRepository(files).findOneBy({ id });

/** Files by id that are not deleted, in the order asked for. */
export async function filesById(reader: Reader, ids: readonly string[]): Promise<StoredFile[]> {
  if (ids.length === 0) return [];
  const rows = await reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('file.id = any(:ids) and file.deleted_at is null', { ids })
    .getMany();
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

/** The files among `ids` that the organization has uploaded for the service. */
export function findUploaded(
  reader: Reader,
  organizationId: string,
  service: FileService,
  ids: readonly string[],
): Promise<StoredFile[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('file.id = any(:ids) and file.organization_id = :organizationId', { ids, organizationId })
    .andWhere('file.service = :service and file.is_uploaded and file.deleted_at is null', { service })
    .getMany();
}

/** The medias of each product, in order. */
export async function mediasOfProducts(
  reader: Reader,
  productIds: readonly string[],
): Promise<Map<string, StoredFile[]>> {
  const links: { product_id: string; file_id: string }[] = await reader.query(
    'select product_id, file_id from product_medias where product_id = any($1) order by product_id, position',
    [productIds],
  );
  if (links.length === 0) return new Map();
  const rows = await reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('file.id = any(:ids) and file.deleted_at is null', {
      ids: [...new Set(links.map((link) => link.file_id))],
    })
    .getMany();
  const byId = new Map(rows.map((row) => [row.id, row]));
  const groups = Map.groupBy(links, (link) => link.product_id);
  return new Map(
    [...groups].map(([id, group]) => [id, group.flatMap((link) => byId.get(link.file_id) ?? [])]),
  );
}

export const insertFile = (tx: Tx, file: StoredFile) => tx.getRepository(files).insert(file as never);

export const updateFile = (tx: Tx, { id, ...columns }: StoredFile) =>
  tx.getRepository(files).update(id, columns as never);

/** Deleted files and uploads begun before `abandonedBefore`, whose bytes are still there. */
export async function filesToErase(
  reader: Reader,
  abandonedBefore: Date,
  limit: number,
): Promise<StoredFile[]> {
  const pending = reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('file.deleted_at is not null and file.erased_at is null')
    .orderBy('file.deleted_at')
    .limit(limit);
  const abandoned = reader
    .getRepository(files)
    .createQueryBuilder('file')
    .where('not file.is_uploaded and file.erased_at is null and file.created_at < :abandonedBefore', {
      abandonedBefore,
    })
    .orderBy('file.created_at')
    .limit(limit);
  const found = [...(await pending.getMany()), ...(await abandoned.getMany())];
  return [...new Map(found.map((file) => [file.id, file])).values()].slice(0, limit);
}

/** A file whose bytes are gone is gone itself. */
export const markErased = (reader: Reader, id: string, now: Date) =>
  reader.query('update files set erased_at = $2, deleted_at = coalesce(deleted_at, $2) where id = $1', [
    id,
    now,
  ]);
