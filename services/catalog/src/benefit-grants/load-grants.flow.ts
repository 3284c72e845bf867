import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page } from '@tributary/runtime/http/paging.ts';
import { benefitsById } from '../benefits/store.ts';
import { type CustomerCopy, copyTables, localCopies, type MemberCopy } from '../replicas.ts';
import type { Grant } from './grant.ts';
import type { GrantView } from './present.ts';
import { type GrantQuery, listGrants } from './store.ts';

/** Adds to grants what their representation embeds, in a fixed number of statements. */
export async function loadGrants(reader: Reader, grants: readonly Grant[]): Promise<GrantView[]> {
  const benefits = await benefitsById(
    reader,
    grants.map((grant) => grant.benefit_id),
  );
  const customers = await localCopies<CustomerCopy>(
    reader,
    copyTables.customers,
    grants.map((grant) => grant.customer_id),
  );
  const members = await localCopies<MemberCopy>(
    reader,
    copyTables.members,
    grants.flatMap((grant) => grant.member_id ?? []),
  );
  return grants.map((grant) => ({
    grant,
    benefit: benefits.get(grant.benefit_id)!,
    customer: customers.get(grant.customer_id),
    member: grant.member_id ? members.get(grant.member_id) : undefined,
  }));
}

/** A page of grants, complete. */
export async function readGrants(
  reader: Reader,
  organizationIds: readonly string[],
  query: GrantQuery,
): Promise<Page<GrantView>> {
  const { items, total } = await listGrants(reader, organizationIds, query);
  return { items: await loadGrants(reader, items), total };
}
