import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf, sameSums } from '@tributary/runtime/reconciliation/parts.ts';

/** Who may still come in, against who should. */
export const accessParts: readonly Part[] = [
  noneOf(
    'organizations: without an owner',
    `select organization.id from span, organizations organization
     where organization.created_at >= span.since and organization.created_at < span.before
       and not exists (
         select from memberships where organization_id = organization.id and role = 'owner')`,
  ),
  /** Revoking an authorization ends what was given under it, in the same transaction. */
  noneOf(
    'access tokens: alive under a revoked authorization',
    `select token.id from oauth2_access_tokens token
     join oauth2_authorizations given on given.id = token.authorization_id
     where given.revoked_at is not null and token.revoked_at is null and token.expires_at > given.revoked_at`,
  ),
  /** A refresh token is replaced at each use, so one at most can be used next. */
  noneOf(
    'authorizations: with several refresh tokens that can be used',
    `select authorization_id as id from oauth2_refresh_tokens
     where rotated_at is null group by authorization_id having count(*) > 1`,
  ),
  noneOf(
    'customer sessions: longer than an hour',
    `select session.id from sessions session where session.expires_at > session.created_at + interval '1 hour'`,
  ),
  sameSums(
    'signing keys: one signs now',
    `select 'OpenID Connect' as name, least(count(*), 1)::text as expected,
       least(count(*) filter (where signs_from <= now()), 1)::text as found
     from signing_keys`,
  ),
];
