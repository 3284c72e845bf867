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

export interface PersonalAccessToken extends AccessToken {
  user_id: string;
}

export const PersonalAccessTokenEntity = new EntitySchema<PersonalAccessToken>({
  name: 'personal_access_tokens',
  columns: { ...accessTokenColumns, user_id: uuid },
});

export interface TokenFilter extends Paging {
  sorting: readonly SortCriterion<SortKey>[];
}

/** One page of the user's own tokens. */
export function listPersonalTokens(
  db: Reader,
  userId: string,
  { sorting, ...paging }: TokenFilter,
): Promise<Page<PersonalAccessToken>> {
  const query = db
    .getRepository(PersonalAccessTokenEntity)
    .createQueryBuilder('token')
    .where('token.user_id = :userId', { userId });
  return pageOf(query, paging, sorting, sortColumns);
}

export async function insertPersonalToken(tx: Reader, token: PersonalAccessToken): Promise<void> {
  await tx.getRepository(PersonalAccessTokenEntity).insert(token);
}

/** A token of the user, locked for a change; 404 otherwise. */
export async function lockPersonalToken(tx: Tx, id: string, userId: string): Promise<PersonalAccessToken> {
  const token = await tx
    .getRepository(PersonalAccessTokenEntity)
    .findOne({ where: { id, user_id: userId }, lock: { mode: 'pessimistic_write' } });
  if (!token) throw notFound();
  return token;
}

/** Stores a changed token and drops what others keep about it. */
export async function savePersonalToken(tx: Tx, token: PersonalAccessToken): Promise<void> {
  await tx.getRepository(PersonalAccessTokenEntity).update({ id: token.id }, token);
  await emit(tx, [tokenRevoked(token.id)]);
}

export async function deletePersonalToken(tx: Tx, token: PersonalAccessToken): Promise<void> {
  await tx.getRepository(PersonalAccessTokenEntity).delete({ id: token.id });
  await emit(tx, [tokenRevoked(token.id)]);
}

/** Deletes the tokens that carry a comment. */
export async function deletePersonalTokensNamed(tx: Tx, userId: string, comment: string): Promise<void> {
  const [deleted]: [{ id: string }[], number] = await tx.query(
    'delete from personal_access_tokens where user_id = $1 and comment = $2 returning id',
    [userId, comment],
  );
  await emit(
    tx,
    deleted.map((row) => tokenRevoked(row.id)),
  );
}
