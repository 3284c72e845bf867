import { newId } from '@tributary/runtime/db/id.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Grant } from '../benefit-grants/grant.ts';

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
