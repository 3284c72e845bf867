import { tokenRevoked } from '@tributary/proto/events/message.ts';
import { uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import type { AccessToken } from '../access-tokens/access-token.ts';
import { accessTokenColumns, sortColumns } from '../access-tokens/columns.ts';
import type { SortKey } from '../access-tokens/schema.ts';

export interface OrganizationAccessToken extends AccessToken {
  organization_id: string;
}

export const OrganizationAccessTokenEntity = new EntitySchema<OrganizationAccessToken>({
  name: 'organization_access_tokens',
  columns: { ...accessTokenColumns, organization_id: uuid },
});

export interface TokenFilter extends Paging {
  organization_id?: string[];
  sorting: readonly SortCriterion<SortKey>[];
}

/** One page of the tokens of the organizations the caller reaches. */
export function listOrganizationTokens(
  db: Reader,
  reach: readonly string[],
  { organization_id, sorting, ...paging }: TokenFilter,
): Promise<Page<OrganizationAccessToken>> {
  const ids = organization_id ? reach.filter((id) => organization_id.includes(id)) : reach;
  const query = db.getRepository(OrganizationAccessTokenEntity).createQueryBuilder('token');
  return pageOf(query, paging, sorting, sortColumns, { organizations: ids });
}

export async function insertOrganizationToken(tx: Reader, token: OrganizationAccessToken): Promise<void> {
  await tx.getRepository(OrganizationAccessTokenEntity).insert(token);
}

/** A token of one of the organizations, locked for a change; 404 otherwise. */
export async function lockOrganizationToken(
  tx: Tx,
  id: string,
  reach: readonly string[],
): Promise<OrganizationAccessToken> {
  const token = await tx
    .getRepository(OrganizationAccessTokenEntity)
    .findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!token || !reach.includes(token.organization_id)) throw notFound();
  return token;
}

/** Stores a changed token and drops what others keep about it. */
export async function saveOrganizationToken(tx: Tx, token: OrganizationAccessToken): Promise<void> {
  await tx.getRepository(OrganizationAccessTokenEntity).update({ id: token.id }, token);
  await emit(tx, [tokenRevoked(token.id)]);
}

export async function deleteOrganizationToken(tx: Tx, token: OrganizationAccessToken): Promise<void> {
  await tx.getRepository(OrganizationAccessTokenEntity).delete({ id: token.id });
  await emit(tx, [tokenRevoked(token.id)]);
}

/** Deletes the tokens that carry a comment. */
export async function deleteOrganizationTokensNamed(
  tx: Tx,
  organizationId: string,
  comment: string,
): Promise<void> {
  const [deleted]: [{ id: string }[], number] = await tx.query(
    'delete from organization_access_tokens where organization_id = $1 and comment = $2 returning id',
    [organizationId, comment],
  );
  await emit(
    tx,
    deleted.map((row) => tokenRevoked(row.id)),
  );
}
