import { newId } from '@tributary/proto/id.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import type { Grant } from '../benefit-grants/grant.ts';
import type { PortalHolder } from '../scope.ts';
import type { Downloadable } from './downloadable.ts';

/** Makes a downloadable of every file that the grants name; those already there keep their counts. */
export async function ensureDownloadables(tx: Tx, grants: readonly Grant[], now: Date): Promise<void> {
  const rows = grants.flatMap((grant) =>
    (grant.properties.files ?? []).map((file_id) => ({
      id: newId(),
      organization_id: grant.organization_id,
      customer_id: grant.customer_id,
      member_id: grant.member_id,
      benefit_id: grant.benefit_id,
      file_id,
    })),
  );
  if (rows.length === 0) return;
  await tx.query(
    `insert into downloadables (id, organization_id, created_at, customer_id, member_id, benefit_id, file_id, downloads)
     select id, organization_id, $2, customer_id, member_id, benefit_id, file_id, 0
     from jsonb_to_recordset($1::jsonb) as downloadable(id uuid, organization_id uuid, customer_id uuid,
       member_id uuid, benefit_id uuid, file_id uuid)
     on conflict do nothing`,
    [JSON.stringify(rows), now],
  );
}

/** How often each file of a benefit was fetched, and by how many customers. */
export async function countDownloads(
  reader: Pick<Reader, 'query'>,
  benefitId: string,
  fileIds: readonly string[],
): Promise<Map<string, { downloads: number; downloaders: number }>> {
  const rows: { file_id: string; downloads: number; downloaders: number }[] = await reader.query(
    `select file_id, sum(downloads)::bigint as downloads,
            count(distinct customer_id) filter (where downloads > 0) as downloaders
     from downloadables where benefit_id = $1 and file_id = any($2) group by file_id`,
    [benefitId, fileIds],
  );
  return new Map(rows.map(({ file_id, ...counts }) => [file_id, counts]));
}

/** A downloadable counts while a grant of its benefit stands and the benefit offers the file. */
const AVAILABLE = `
  from downloadables downloadable
  join files file on file.id = downloadable.file_id and file.is_uploaded and file.deleted_at is null
  join benefits benefit on benefit.id = downloadable.benefit_id and benefit.deleted_at is null
  where benefit.properties -> 'files' @> to_jsonb(file.id::text)
    and not coalesce((benefit.properties -> 'archived' ->> file.id::text)::boolean, false)
    and exists (select 1 from benefit_grants benefit_grant
                where benefit_grant.benefit_id = downloadable.benefit_id
                  and benefit_grant.customer_id = downloadable.customer_id
                  and benefit_grant.member_id is not distinct from downloadable.member_id
                  and benefit_grant.granted_at is not null)`;

/** What a holder may download now, newest first. */
export async function listDownloadables(
  reader: Pick<Reader, 'query'>,
  { holder, ofCustomerToo }: PortalHolder,
  query: Paging & { benefit_id?: string[] },
): Promise<Page<Downloadable>> {
  const where = `${AVAILABLE} and downloadable.customer_id = $1
    and ($2::uuid is null or downloadable.member_id = $2 or ($3 and downloadable.member_id is null))
    and ($4::uuid[] is null or downloadable.benefit_id = any($4))`;
  const parameters = [holder.customer_id, holder.member_id, ofCustomerToo, query.benefit_id ?? null];
  const [counted]: { total: number }[] = await reader.query(`select count(*) as total ${where}`, parameters);
  const items: Downloadable[] = await reader.query(
    `select downloadable.* ${where} order by downloadable.created_at desc nulls last, downloadable.id desc
     limit $5 offset $6`,
    [...parameters, query.limit, (query.page - 1) * query.limit],
  );
  return { items, total: counted!.total };
}

/** Counts one download; undefined when the file is not to be had any more. */
export async function countDownload(tx: Tx, id: string, now: Date): Promise<{ file_id: string } | undefined> {
  const [available]: { file_id: string }[] = await tx.query(
    `select downloadable.file_id ${AVAILABLE} and downloadable.id = $1`,
    [id],
  );
  if (!available) return undefined;
  await tx.query(
    'update downloadables set downloads = downloads + 1, last_downloaded_at = $2 where id = $1',
    [id, now],
  );
  return available;
}
