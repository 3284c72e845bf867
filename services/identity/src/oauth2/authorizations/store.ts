import type { Scope } from '@tributary/proto/access.ts';
import { tokenRevoked } from '@tributary/proto/events/message.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { Authorization } from './authorization.ts';
import type { RefreshToken } from './refresh-token.ts';

type Db = Pick<Reader, 'query'>;

export async function insertAuthorization(tx: Db, authorization: Authorization): Promise<void> {
  await tx.query(
    `insert into oauth2_authorizations
       (id, created_at, client_id, user_id, scopes, organization_ids, nonce, authenticated_at, code_hash,
        code_expires_at, redirect_uri, was_redirect_uri_given, code_challenge, code_challenge_method)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
    [
      authorization.id,
      authorization.created_at,
      authorization.client_id,
      authorization.user_id,
      authorization.scopes,
      authorization.organization_ids,
      authorization.nonce,
      authorization.authenticated_at,
      authorization.code_hash,
      authorization.code_expires_at,
      authorization.redirect_uri,
      authorization.was_redirect_uri_given,
      authorization.code_challenge,
      authorization.code_challenge_method,
    ],
  );
}

/** The authorization a code was given for, locked: of two exchanges at once one is first. */
export async function lockByCode(tx: Tx, codeHash: string): Promise<Authorization | undefined> {
  const rows: Authorization[] = await tx.query(
    'select * from oauth2_authorizations where code_hash = $1 for update',
    [codeHash],
  );
  return rows[0];
}

export async function markCodeUsed(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query('update oauth2_authorizations set code_used_at = $2 where id = $1', [id, now]);
}

export interface NewAccessToken {
  id: string;
  authorization_id: string;
  token_hash: string;
  scopes: Scope[];
  issued_at: Date;
  expires_at: Date;
}

export async function insertAccessToken(tx: Tx, token: NewAccessToken): Promise<void> {
  await tx.query(
    `insert into oauth2_access_tokens (id, authorization_id, token_hash, scopes, issued_at, expires_at)
     values ($1, $2, $3, $4, $5, $6)`,
    [token.id, token.authorization_id, token.token_hash, token.scopes, token.issued_at, token.expires_at],
  );
}

export async function insertRefreshToken(
  tx: Tx,
  token: Pick<RefreshToken, 'id' | 'authorization_id' | 'scopes' | 'issued_at'> & { token_hash: string },
): Promise<void> {
  await tx.query(
    `insert into oauth2_refresh_tokens (id, authorization_id, token_hash, scopes, issued_at)
     values ($1, $2, $3, $4, $5)`,
    [token.id, token.authorization_id, token.token_hash, token.scopes, token.issued_at],
  );
}

/** A refresh token, locked: of two exchanges at once one is first and the other sees what it did. */
export async function lockRefreshToken(tx: Tx, tokenHash: string): Promise<RefreshToken | undefined> {
  const rows: RefreshToken[] = await tx.query(
    `select id, authorization_id, scopes, issued_at, rotated_at, successor_id, sealed_successor
     from oauth2_refresh_tokens where token_hash = $1 for update`,
    [tokenHash],
  );
  return rows[0];
}

export async function lockAuthorization(tx: Tx, id: string): Promise<Authorization> {
  const rows: Authorization[] = await tx.query(
    'select * from oauth2_authorizations where id = $1 for update',
    [id],
  );
  return rows[0]!;
}

export async function isUnrotated(tx: Tx, refreshTokenId: string | null): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    'select 1 from oauth2_refresh_tokens where id = $1 and rotated_at is null',
    [refreshTokenId],
  );
  return rows.length > 0;
}

/** Puts a refresh token out of use in favour of its successor. */
export async function rotateRefreshToken(
  tx: Tx,
  id: string,
  successor: { id: string; sealed: string },
  now: Date,
): Promise<void> {
  await tx.query(
    'update oauth2_refresh_tokens set rotated_at = $2, successor_id = $3, sealed_successor = $4 where id = $1',
    [id, now, successor.id, successor.sealed],
  );
}

export interface StoredAccessToken extends NewAccessToken {
  revoked_at: Date | null;
}

export async function findAccessToken(db: Db, tokenHash: string): Promise<StoredAccessToken | undefined> {
  const rows: StoredAccessToken[] = await db.query(
    'select * from oauth2_access_tokens where token_hash = $1',
    [tokenHash],
  );
  return rows[0];
}

/** Ends one access token. */
export async function revokeAccessToken(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query('update oauth2_access_tokens set revoked_at = $2 where id = $1 and revoked_at is null', [
    id,
    now,
  ]);
  await emit(tx, [tokenRevoked(id)]);
}

/** Ends an authorization with every token that descends from it. */
export async function revokeAuthorization(tx: Tx, id: string, now: Date): Promise<void> {
  await tx.query('update oauth2_authorizations set revoked_at = $2 where id = $1 and revoked_at is null', [
    id,
    now,
  ]);
  const [revoked]: [{ id: string }[], number] = await tx.query(
    `update oauth2_access_tokens set revoked_at = $2
     where authorization_id = $1 and revoked_at is null and expires_at > $2 returning id`,
    [id, now],
  );
  await emit(
    tx,
    revoked.map((token) => tokenRevoked(token.id)),
  );
}

/** A living token of the client with what introspection tells of it, in one statement. */
export interface TokenFacts {
  token_type: 'access_token' | 'refresh_token';
  id: string;
  authorization_id: string;
  client_id: string;
  user_id: string;
  scopes: Scope[];
  organizations: string[];
  issued_at: Date;
  expires_at: Date | null;
}

export async function findLivingToken(db: Db, tokenHash: string, now: Date): Promise<TokenFacts | undefined> {
  const rows: TokenFacts[] = await db.query(
    `with token as (
       select 'access_token' as token_type, id, authorization_id, scopes, issued_at, expires_at
       from oauth2_access_tokens where token_hash = $1 and revoked_at is null and expires_at > $2
       union all
       select 'refresh_token', id, authorization_id, scopes, issued_at, null
       from oauth2_refresh_tokens where token_hash = $1 and rotated_at is null
     )
     select token.*, a.client_id, a.user_id,
            array(select m.organization_id from memberships m
                  where m.user_id = a.user_id
                    and (a.organization_ids is null or m.organization_id = any(a.organization_ids))
                  order by m.created_at, m.organization_id) as organizations
     from token join oauth2_authorizations a on a.id = token.authorization_id and a.revoked_at is null`,
    [tokenHash, now],
  );
  return rows[0];
}

const BATCH = 1000;

/**
 * Forgets what no request can need any more, one bounded batch of each: codes nobody used, access tokens past their
 * time, exchanged refresh tokens and revoked authorizations after a month. Returns whether more is left.
 */
export async function forgetOldAuthorizations(db: Db, now: Date): Promise<boolean> {
  const statements = [
    `delete from oauth2_authorizations where id in (
       select id from oauth2_authorizations
       where code_used_at is null and code_expires_at < $1::timestamptz - interval '1 day'
       order by code_expires_at limit ${BATCH})`,
    `delete from oauth2_access_tokens where id in (
       select id from oauth2_access_tokens where expires_at < $1::timestamptz - interval '1 day'
       order by expires_at limit ${BATCH})`,
    `delete from oauth2_refresh_tokens where id in (
       select id from oauth2_refresh_tokens
       where rotated_at is not null and rotated_at < $1::timestamptz - interval '30 days'
       order by rotated_at limit ${BATCH})`,
    `delete from oauth2_authorizations where id in (
       select id from oauth2_authorizations
       where revoked_at is not null and revoked_at < $1::timestamptz - interval '30 days'
       order by revoked_at limit ${BATCH})`,
  ];
  const counts: number[] = [];
  for (const statement of statements) counts.push((await db.query(statement, [now]))[1]);
  return counts.some((count) => count === BATCH);
}
