import type { Scope } from '@tributary/proto/access.ts';
import type { Client, SubType } from '../clients/client.ts';
import { OAuthError, type OAuthErrorCode } from '../oauth-error.ts';
import { type ChallengeMethod, challengeMethods, isVerifier } from '../pkce.ts';
import { isRegistered } from '../redirect-uri.ts';
import { parseScopes } from '../scope.ts';
import { AuthorizeQuery } from './schema.ts';

export type Prompt = 'none' | 'login' | 'consent';

/** A request that may be put to the user. */
export interface AuthorizationRequest {
  client: Client;
  redirect: Redirect;
  scopes: Scope[];
  nonce: string | null;
  code_challenge: string | null;
  code_challenge_method: ChallengeMethod | null;
  prompts: ReadonlySet<Prompt>;
  sub_type: SubType;
  sub: string | undefined;
  /** Oldest login that will do, in seconds. */
  max_age: number | undefined;
}

/** Where the answer goes. */
export interface Redirect {
  uri: string;
  wasGiven: boolean;
  state: string | undefined;
}

/** A refusal that the client is told at its redirect address (RFC 6749, 4.1.2.1). */
export class RedirectedError extends OAuthError {
  readonly redirect: Redirect;

  constructor(redirect: Redirect, code: OAuthErrorCode, description: string) {
    super(code, description);
    this.redirect = redirect;
  }
}

/**
 * Where the client has its answers sent.
 * @throws OAuthError that must not be redirected: the address may be anybody's
 */
export function redirectOf(query: AuthorizeQuery, client: Client | null): Redirect {
  if (!client) throw new OAuthError('invalid_client', 'No client has this client_id.');
  const { redirect_uri, state } = query;
  if (redirect_uri !== undefined) {
    if (!isRegistered(redirect_uri, client.redirect_uris)) {
      throw new OAuthError('invalid_request', 'The client did not register this redirect_uri.');
    }
    return { uri: redirect_uri, wasGiven: true, state };
  }
  const [only, ...others] = client.redirect_uris;
  if (only === undefined || others.length > 0) {
    throw new OAuthError('invalid_request', 'The parameter redirect_uri is missing.');
  }
  return { uri: only, wasGiven: false, state };
}

/** Reads the rest of the request. @throws RedirectedError */
export function readRequest(query: AuthorizeQuery, client: Client, redirect: Redirect): AuthorizationRequest {
  const refuse = (code: OAuthErrorCode, description: string): never => {
    throw new RedirectedError(redirect, code, description);
  };
  if (query.request !== undefined) refuse('request_not_supported', 'Request objects are not supported.');
  if (query.request_uri !== undefined)
    refuse('request_uri_not_supported', 'Request objects are not supported.');
  if (query.response_type === undefined) refuse('invalid_request', 'The parameter response_type is missing.');
  if (query.response_type !== 'code') refuse('unsupported_response_type', 'The response_type is code.');
  if ((query.response_mode ?? 'query') !== 'query') refuse('invalid_request', 'The response_mode is query.');
  const sub_type = query.sub_type ?? client.default_sub_type;
  if (sub_type !== 'user' && sub_type !== 'organization') {
    return refuse('invalid_request', 'The sub_type is user or organization.');
  }
  const scopes = parseScopes(query.scope ?? client.scopes.join(' '), client.scopes);
  if (!scopes || scopes.length === 0)
    return refuse('invalid_scope', 'The client may not ask for this scope.');
  return {
    client,
    redirect,
    scopes,
    nonce: query.nonce ?? null,
    ...challengeOf(query, client, refuse),
    prompts: promptsOf(query.prompt, refuse),
    sub_type,
    sub: query.sub,
    max_age: maxAgeOf(query.max_age, refuse),
  };
}

type Refuse = (code: OAuthErrorCode, description: string) => never;

function challengeOf(query: AuthorizeQuery, client: Client, refuse: Refuse) {
  const { code_challenge, code_challenge_method = 'plain' } = query;
  if (code_challenge === undefined) {
    if (query.code_challenge_method !== undefined)
      refuse('invalid_request', 'The code_challenge is missing.');
    if (client.token_endpoint_auth_method === 'none') {
      refuse('invalid_request', 'A public client must send a code_challenge.');
    }
    return { code_challenge: null, code_challenge_method: null };
  }
  const method = challengeMethods.find((name) => name === code_challenge_method);
  if (!method) return refuse('invalid_request', 'The code_challenge_method is S256 or plain.');
  if (!isVerifier(code_challenge)) refuse('invalid_request', 'The code_challenge is malformed.');
  return { code_challenge, code_challenge_method: method };
}

function promptsOf(text: string | undefined, refuse: Refuse): ReadonlySet<Prompt> {
  const words = new Set((text ?? '').split(' ').filter((word) => word !== ''));
  for (const word of words) {
    if (word !== 'none' && word !== 'login' && word !== 'consent')
      refuse('invalid_request', 'The prompt is unknown.');
  }
  if (words.has('none') && words.size > 1) refuse('invalid_request', 'The prompt none stands alone.');
  return words as Set<Prompt>;
}

function maxAgeOf(text: string | undefined, refuse: Refuse): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,10}$/.test(text)) refuse('invalid_request', 'The max_age is a number of seconds.');
  return Number(text);
}

/** Reads a request that was carried along as a query string. @throws OAuthError */
export function readAuthorizeQuery(text: string): AuthorizeQuery {
  const parsed = AuthorizeQuery.safeParse(Object.fromEntries(new URLSearchParams(text)));
  if (!parsed.success) throw new OAuthError('invalid_request', 'A parameter is too long.');
  return parsed.data;
}
