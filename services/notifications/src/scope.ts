import type { Principal } from '@tributary/proto/principal.ts';
import { organizationsOf } from '@tributary/runtime/principal.ts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/** The organizations a caller reaches, narrowed by a filter: what is not reached is silently left out. */
export function reachable(principal: Principal, wanted?: readonly string[]): string[] {
  const organizations = organizationsOf(principal);
  return wanted ? organizations.filter((id) => wanted.includes(id)) : organizations;
}

/**
 * Keeps the organizations' rows. One organization, the usual case, is compared with `=`: only then does PostgreSQL
 * read an index on (organization, order of the list) in order and stop at the end of the page.
 */
export function inOrganizations<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  organizationIds: readonly string[],
): void {
  if (organizationIds.length === 1)
    query.andWhere(`${column} = :organizationId`, { organizationId: organizationIds[0] });
  else query.andWhere(`${column} = any(:organizationIds)`, { organizationIds });
}
