import { scopes } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { inTransaction, type Tx } from '@tributary/runtime/db/transaction.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import { newAccessToken } from '../access-tokens/access-token.ts';
import type { App } from '../app.ts';
import { tokenPrefixes } from '../introspection/token-kinds.ts';
import { saveMembership } from '../memberships/store.ts';
import { newClient } from '../oauth2/clients/client.ts';
import { deleteClientsOf, insertClient } from '../oauth2/clients/store.ts';
import {
  deleteOrganizationTokensNamed,
  insertOrganizationToken,
} from '../organization-access-tokens/store.ts';
import { newOrganization, type Organization } from '../organizations/organization.ts';
import { allFeatures } from '../organizations/settings.ts';
import { findOrganization, findOrganizationBySlug, insertOrganization } from '../organizations/store.ts';
import { deletePersonalTokensNamed, insertPersonalToken } from '../personal-access-tokens/store.ts';
import { createUserSession } from '../user-sessions/store.ts';
import { insertUser } from '../users/store.ts';
import { newUser } from '../users/user.ts';

/** What the first organization is to be called; every name has a default. */
export interface FirstOrganization {
  email?: string;
  name?: string;
  slug?: string;
  redirect_uri?: string;
}

/** The secrets of a fresh start. They are known here only: what is stored are hashes. */
export interface FirstCredentials {
  user: { id: string; email: string; session_token: string };
  organization: { id: string; slug: string };
  organization_access_token: string;
  personal_access_token: string;
  oauth_client: { client_id: string; client_secret: string; redirect_uri: string };
}

const COMMENT = 'Made at the first start';
const CLIENT_NAME = 'First application';

/**
 * Makes the first user, an active organization with every feature on, and one credential of each kind with every
 * scope. User and organization are made once and found again by address and slug; credentials cannot be read back,
 * so each call replaces the former ones. Call it when there is no record of them.
 */
export function createFirstOrganization(app: App, wanted: FirstOrganization = {}): Promise<FirstCredentials> {
  const { email = 'owner@example.com', redirect_uri = 'http://localhost:3000/callback' } = wanted;
  const { name = 'First Organization', slug = 'first-organization' } = wanted;
  const now = app.clock.now();
  return inTransaction(app.db, async (tx) => {
    const user = await insertUser(tx, newUser(newId(), email, true, now));
    const organization = await foundOrganization(tx, { name, slug, email }, now);
    await saveMembership(tx, user.id, organization.id, 'owner', now);
    await deleteOrganizationTokensNamed(tx, organization.id, COMMENT);
    await deletePersonalTokensNamed(tx, user.id, COMMENT);
    await deleteClientsOf(tx, user.id, CLIENT_NAME);
    const session_token = await createUserSession(tx, user.id, app.tokenSecret, now);
    return {
      user: { id: user.id, email: user.email, session_token },
      organization: { id: organization.id, slug: organization.slug },
      organization_access_token: await giveOrganizationToken(app, tx, organization.id, now),
      personal_access_token: await givePersonalToken(app, tx, user.id, now),
      oauth_client: await registerClient(app, tx, { user_id: user.id, redirect_uri, now }),
    };
  });
}

/** The credentials that were kept, unless they are of a database that is not this one. */
export async function firstOrganization(app: App, kept?: FirstCredentials): Promise<FirstCredentials> {
  if (kept && (await findOrganization(app.db, kept.organization.id))) return kept;
  return createFirstOrganization(app);
}

async function foundOrganization(
  tx: Tx,
  input: { name: string; slug: string; email: string },
  now: Date,
): Promise<Organization> {
  const existing = await findOrganizationBySlug(tx, input.slug);
  if (existing) return existing;
  const organization = newOrganization(newId(), input, 'active', now);
  return insertOrganization(tx, { ...organization, feature_settings: allFeatures });
}

/** A token that never expires, with every scope. */
const accessToken = (token_hash: string, now: Date) =>
  newAccessToken({ comment: COMMENT, scopes: [...scopes] }, token_hash, now);

async function giveOrganizationToken(app: App, tx: Tx, organization_id: string, now: Date): Promise<string> {
  const token = mintToken(tokenPrefixes.organization);
  await insertOrganizationToken(tx, {
    ...accessToken(hashToken(token, app.tokenSecret), now),
    organization_id,
  });
  return token;
}

async function givePersonalToken(app: App, tx: Tx, user_id: string, now: Date): Promise<string> {
  const token = mintToken(tokenPrefixes.personal);
  await insertPersonalToken(tx, { ...accessToken(hashToken(token, app.tokenSecret), now), user_id });
  return token;
}

async function registerClient(
  app: App,
  tx: Tx,
  { user_id, redirect_uri, now }: { user_id: string; redirect_uri: string; now: Date },
): Promise<FirstCredentials['oauth_client']> {
  const client_id = mintToken(tokenPrefixes.client_id);
  const client_secret = mintToken(tokenPrefixes.client_secret);
  const client = newClient(
    {
      client_id,
      client_secret_hash: hashToken(client_secret, app.tokenSecret),
      registration_token_hash: hashToken(mintToken(tokenPrefixes.registration), app.tokenSecret),
      user_id,
      is_first_party: true,
    },
    {
      client_name: CLIENT_NAME,
      redirect_uris: [redirect_uri],
      token_endpoint_auth_method: 'client_secret_post',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scopes: [...scopes],
      default_sub_type: 'user',
    },
    now,
  );
  await insertClient(tx, client);
  return { client_id, client_secret, redirect_uri };
}
