import { IDEMPOTENCY_TABLE } from '@tributary/runtime/http/idempotency.ts';
import { MESSAGING_TABLES } from '@tributary/runtime/messaging/tables.ts';
import type { MigrationInterface, QueryRunner } from 'typeorm';

const ORGANIZATIONS = `
  create table organizations (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    name text not null,
    slug text not null,
    avatar_url text,
    email text,
    website text,
    socials jsonb not null,
    status text not null,
    status_changed_at timestamptz not null,
    next_review_threshold bigint not null,
    legal_entity jsonb,
    details jsonb,
    details_submitted_at timestamptz,
    onboarding_resubmission_requested_at timestamptz,
    sso_enforced boolean not null,
    default_presentment_currency text not null,
    default_tax_behavior text not null,
    feature_settings jsonb not null,
    subscription_settings jsonb not null,
    customer_email_settings jsonb not null,
    customer_portal_settings jsonb not null,
    dispute_settings jsonb not null,
    embed_hosts jsonb not null,
    embed_hosts_enforced boolean not null,
    country text,
    account_id uuid,
    payout_account_id uuid
  );
  create unique index organizations_slug on organizations (slug);
  create table product_currencies (
    product_id uuid primary key,
    organization_id uuid not null,
    currencies text[] not null
  );
  create index product_currencies_organization_id on product_currencies (organization_id);
`;

const USERS = `
  create table users (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    email text not null,
    email_verified boolean not null,
    avatar_url text,
    password_hash text,
    failed_logins integer not null default 0,
    login_blocked_until timestamptz
  );
  create unique index users_email on users (lower(email));
  create table memberships (
    user_id uuid not null references users on delete cascade,
    organization_id uuid not null references organizations on delete cascade,
    role text not null,
    created_at timestamptz not null,
    primary key (user_id, organization_id)
  );
  create index memberships_organization_id on memberships (organization_id);
  create table user_sessions (
    id uuid primary key,
    user_id uuid not null references users on delete cascade,
    token_hash text not null unique,
    created_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index user_sessions_user_id on user_sessions (user_id);
  create index user_sessions_expires_at on user_sessions (expires_at);
  create table login_codes (
    email text primary key,
    code_hash text not null,
    attempts integer not null,
    sent_at timestamptz not null,
    expires_at timestamptz not null
  );
  create index login_codes_expires_at on login_codes (expires_at);
`;

/** What lists of access tokens are sorted by, in both directions. */
const tokenOrders = (table: string, owner: string) =>
  ['created_at', 'comment', 'expires_at', 'last_used_at']
    .map((column) => `  create index ${table}_${column} on ${table} (${owner}, ${column} nulls first, id);`)
    .join('\n');

const TOKENS = `
  create table organization_access_tokens (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    organization_id uuid not null references organizations on delete cascade,
    token_hash text not null unique,
    comment text not null,
    scopes text[] not null,
    expires_at timestamptz,
    last_used_at timestamptz
  );
${tokenOrders('organization_access_tokens', 'organization_id')}
  create table personal_access_tokens (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    user_id uuid not null references users on delete cascade,
    token_hash text not null unique,
    comment text not null,
    scopes text[] not null,
    expires_at timestamptz,
    last_used_at timestamptz
  );
${tokenOrders('personal_access_tokens', 'user_id')}
  create table sessions (
    id uuid primary key,
    created_at timestamptz not null,
    organization_id uuid not null,
    customer_id uuid not null,
    member_id uuid,
    member_role text,
    return_url text,
    token_hash text not null unique,
    expires_at timestamptz not null
  );
  create index sessions_customer_id on sessions (customer_id);
  create index sessions_member_id on sessions (member_id) where member_id is not null;
  create index sessions_expires_at on sessions (expires_at);
`;

const OAUTH2 = `
  create table oauth2_clients (
    id uuid primary key,
    created_at timestamptz not null,
    modified_at timestamptz,
    client_id text not null unique,
    client_secret_hash text,
    registration_token_hash text not null unique,
    user_id uuid references users on delete set null,
    is_first_party boolean not null,
    client_name text not null,
    client_uri text,
    logo_uri text,
    tos_uri text,
    policy_uri text,
    redirect_uris text[] not null,
    token_endpoint_auth_method text not null,
    grant_types text[] not null,
    response_types text[] not null,
    scopes text[] not null,
    default_sub_type text not null
  );
  create index oauth2_clients_user_id on oauth2_clients (user_id);
  create table oauth2_consents (
    client_id text not null references oauth2_clients (client_id) on delete cascade,
    user_id uuid not null references users on delete cascade,
    sub_type text not null,
    scopes text[] not null,
    organization_ids uuid[],
    granted_at timestamptz not null,
    primary key (client_id, user_id, sub_type)
  );
  create index oauth2_consents_user_id on oauth2_consents (user_id);
  create table oauth2_authorizations (
    id uuid primary key,
    created_at timestamptz not null,
    client_id text not null references oauth2_clients (client_id) on delete cascade,
    user_id uuid not null references users on delete cascade,
    scopes text[] not null,
    organization_ids uuid[],
    nonce text,
    authenticated_at timestamptz not null,
    code_hash text unique,
    code_expires_at timestamptz,
    code_used_at timestamptz,
    redirect_uri text,
    was_redirect_uri_given boolean not null default true,
    code_challenge text,
    code_challenge_method text,
    revoked_at timestamptz
  );
  create index oauth2_authorizations_client_id on oauth2_authorizations (client_id);
  create index oauth2_authorizations_user_id on oauth2_authorizations (user_id);
  create index oauth2_authorizations_revoked_at on oauth2_authorizations (revoked_at) where revoked_at is not null;
  create index oauth2_authorizations_unused on oauth2_authorizations (code_expires_at) where code_used_at is null;
  create table oauth2_access_tokens (
    id uuid primary key,
    authorization_id uuid not null references oauth2_authorizations on delete cascade,
    token_hash text not null unique,
    scopes text[] not null,
    issued_at timestamptz not null,
    expires_at timestamptz not null,
    revoked_at timestamptz
  );
  create index oauth2_access_tokens_authorization_id on oauth2_access_tokens (authorization_id);
  create index oauth2_access_tokens_expires_at on oauth2_access_tokens (expires_at);
  create table oauth2_refresh_tokens (
    id uuid primary key,
    authorization_id uuid not null references oauth2_authorizations on delete cascade,
    token_hash text not null unique,
    scopes text[] not null,
    issued_at timestamptz not null,
    rotated_at timestamptz,
    successor_id uuid,
    sealed_successor text
  );
  create index oauth2_refresh_tokens_authorization_id on oauth2_refresh_tokens (authorization_id);
  create index oauth2_refresh_tokens_rotated_at on oauth2_refresh_tokens (rotated_at) where rotated_at is not null;
  create table signing_keys (
    kid text primary key,
    created_at timestamptz not null,
    signs_from timestamptz not null,
    public_jwk jsonb not null,
    sealed_private_key text not null
  );
`;

export class CreateIdentity1764000000000 implements MigrationInterface {
  name = 'CreateIdentity1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      [MESSAGING_TABLES, IDEMPOTENCY_TABLE, ORGANIZATIONS, USERS, TOKENS, OAUTH2].join('\n'),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('drop schema public cascade; create schema public');
  }
}
