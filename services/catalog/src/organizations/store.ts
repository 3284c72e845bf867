import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { OrganizationCopy } from '../replicas.ts';

/** The organization with a slug, as far as it has been heard of. */
export async function organizationBySlug(
  reader: Pick<Reader, 'query'>,
  slug: string,
): Promise<OrganizationCopy | undefined> {
  const [row]: { value: OrganizationCopy }[] = await reader.query(
    "select value from organizations_replica where value ->> 'slug' = $1 limit 1",
    [slug],
  );
  return row?.value;
}
