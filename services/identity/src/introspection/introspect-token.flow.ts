import { type Scope, scopes } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { hashToken, prefixOfToken } from '@tributary/runtime/token.ts';
import type { App } from '../app.ts';
import {
  type LiveOAuth2Token,
  liveOAuth2Token,
  liveOrganizationToken,
  livePersonalToken,
  liveSession,
  liveUserSession,
} from './store.ts';
import { tokenPrefixes } from './token-kinds.ts';

export interface Introspection {
  /** Absent when the token is unknown, expired or revoked. */
  principal?: Principal;
  expires_at?: Date | null;
}

type Lookup = (app: App, hash: string, now: Date) => Promise<Introspection>;

const PORTAL_SCOPES: Scope[] = ['customer_portal:read', 'customer_portal:write'];

const organizationToken: Lookup = async (app, hash, now) => {
  const token = await liveOrganizationToken(app.db, hash, now);
  if (!token) return {};
  app.lastUses.record('organization_access_tokens', token.token_id, now);
  const { expires_at, ...rest } = token;
  return { expires_at, principal: { kind: 'organization', scheme: 'oat', ...rest } };
};

const personalToken: Lookup = async (app, hash, now) => {
  const token = await livePersonalToken(app.db, hash, now);
  if (!token) return {};
  app.lastUses.record('personal_access_tokens', token.token_id, now);
  const { expires_at, ...rest } = token;
  return {
    expires_at,
    principal: { kind: 'user', scheme: 'pat', client_id: null, is_limited: false, ...rest },
  };
};

const oauth2Token: Lookup = async (app, hash, now) => {
  const token: LiveOAuth2Token | undefined = await liveOAuth2Token(app.db, hash, now);
  if (!token) return {};
  const { expires_at, ...rest } = token;
  return { expires_at, principal: { kind: 'user', scheme: 'oidc', ...rest } };
};

/** A logged-in user may do everything; no OAuth client stands between. */
const userSession: Lookup = async (app, hash, now) => {
  const session = await liveUserSession(app.db, hash, now);
  if (!session) return {};
  const { expires_at, ...rest } = session;
  const all = [...scopes];
  return {
    expires_at,
    principal: { kind: 'user', scheme: 'oidc', client_id: null, is_limited: false, scopes: all, ...rest },
  };
};

const portalSession: Lookup = async (app, hash, now) => {
  const session = await liveSession(app.db, hash, now);
  if (!session) return {};
  const { expires_at, member_id, member_role, ...rest } = session;
  if (member_id === null) {
    return {
      expires_at,
      principal: { kind: 'customer', scheme: 'customer_session', scopes: PORTAL_SCOPES, ...rest },
    };
  }
  const role = member_role as 'owner' | 'billing_manager' | 'member';
  return {
    expires_at,
    principal: { kind: 'member', scheme: 'member_session', scopes: PORTAL_SCOPES, member_id, role, ...rest },
  };
};

const lookups: Readonly<Record<string, Lookup>> = {
  [tokenPrefixes.organization]: organizationToken,
  [tokenPrefixes.personal]: personalToken,
  [tokenPrefixes.oauth2_user]: oauth2Token,
  [tokenPrefixes.oauth2_organization]: oauth2Token,
  [tokenPrefixes.user_session]: userSession,
  [tokenPrefixes.customer_session]: portalSession,
  [tokenPrefixes.member_session]: portalSession,
};

/**
 * Resolves a bearer token to who calls, in one statement; a malformed one costs none. A client's registration token
 * names no caller: it is checked where it is used.
 */
export async function introspectToken(app: App, token: string, now: Date): Promise<Introspection> {
  const lookup = lookups[prefixOfToken(token) ?? ''];
  return lookup ? lookup(app, hashToken(token, app.tokenSecret), now) : {};
}
