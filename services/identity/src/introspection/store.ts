import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Membership } from '../memberships/membership.ts';

/** What the database knows of a live token, by its hash; one statement for each kind. */

type Db = Pick<Reader, 'query'>;

interface Live {
  token_id: string;
  expires_at: Date | null;
}
export interface LiveOrganizationToken extends Live {
  organization_id: string;
  scopes: string[];
}
export interface LiveUserToken extends Live {
  user_id: string;
  organizations: Membership[];
  scopes: string[];
}
export interface LiveOAuth2Token extends LiveUserToken {
  client_id: string;
  is_limited: boolean;
}
export interface LiveUserSession extends Live {
  user_id: string;
  organizations: Membership[];
}
export interface LiveSession extends Live {
  organization_id: string;
  customer_id: string;
  member_id: string | null;
  member_role: string | null;
}

/** A blocked organization has lost `api_access`: nobody reaches it with a token. */
const membershipsOf = (user: string, limit = '') => `
  (select coalesce(json_agg(json_build_object('id', m.organization_id, 'role', m.role)
                            order by m.created_at, m.organization_id), '[]')
   from memberships m join organizations o on o.id = m.organization_id and o.status <> 'blocked'
   where m.user_id = ${user} ${limit}) as organizations`;

const first = async <T>(rows: Promise<T[]>): Promise<T | undefined> => (await rows)[0];

export const liveOrganizationToken = (
  db: Db,
  hash: string,
  now: Date,
): Promise<LiveOrganizationToken | undefined> =>
  first(
    db.query(
      `select t.id as token_id, t.expires_at, t.organization_id, t.scopes
       from organization_access_tokens t join organizations o on o.id = t.organization_id and o.status <> 'blocked'
       where t.token_hash = $1 and (t.expires_at is null or t.expires_at > $2)`,
      [hash, now],
    ),
  );

export const livePersonalToken = (db: Db, hash: string, now: Date): Promise<LiveUserToken | undefined> =>
  first(
    db.query(
      `select t.id as token_id, t.expires_at, t.user_id, t.scopes, ${membershipsOf('t.user_id')}
       from personal_access_tokens t
       where t.token_hash = $1 and (t.expires_at is null or t.expires_at > $2)`,
      [hash, now],
    ),
  );

const LIMIT = 'and (a.organization_ids is null or m.organization_id = any(a.organization_ids))';

export const liveOAuth2Token = (db: Db, hash: string, now: Date): Promise<LiveOAuth2Token | undefined> =>
  first(
    db.query(
      `select t.id as token_id, t.expires_at, a.user_id, a.client_id, t.scopes,
              a.organization_ids is not null as is_limited, ${membershipsOf('a.user_id', LIMIT)}
       from oauth2_access_tokens t join oauth2_authorizations a on a.id = t.authorization_id
       where t.token_hash = $1 and t.expires_at > $2 and t.revoked_at is null and a.revoked_at is null`,
      [hash, now],
    ),
  );

export const liveUserSession = (db: Db, hash: string, now: Date): Promise<LiveUserSession | undefined> =>
  first(
    db.query(
      `select s.id as token_id, s.expires_at, s.user_id, ${membershipsOf('s.user_id')}
       from user_sessions s where s.token_hash = $1 and s.expires_at > $2`,
      [hash, now],
    ),
  );

export const liveSession = (db: Db, hash: string, now: Date): Promise<LiveSession | undefined> =>
  first(
    db.query(
      `select s.id as token_id, s.expires_at, s.organization_id, s.customer_id, s.member_id, s.member_role
       from sessions s left join organizations o on o.id = s.organization_id
       where s.token_hash = $1 and s.expires_at > $2 and o.status is distinct from 'blocked'`,
      [hash, now],
    ),
  );

/** Ids of the tokens whose principal lists the user's organizations, so that answers kept of them can be dropped. */
export async function liveTokenIdsOf(db: Db, userId: string, now: Date): Promise<string[]> {
  const rows: { id: string }[] = await db.query(
    `select id from personal_access_tokens where user_id = $1 and (expires_at is null or expires_at > $2)
     union all
     select id from user_sessions where user_id = $1 and expires_at > $2
     union all
     select t.id from oauth2_authorizations a join oauth2_access_tokens t on t.authorization_id = a.id
     where a.user_id = $1 and a.revoked_at is null and t.revoked_at is null and t.expires_at > $2
     limit 10000`,
    [userId, now],
  );
  return rows.map((row) => row.id);
}
