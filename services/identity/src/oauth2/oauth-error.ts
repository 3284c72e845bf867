import { Reply } from '@tributary/runtime/http/reply.ts';

export type OAuthErrorCode =
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_request'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'access_denied'
  | 'login_required'
  | 'consent_required'
  | 'request_not_supported'
  | 'request_uri_not_supported';

/** A refusal in the words of RFC 6749, 5.2 and 4.1.2.1, and OpenID Connect Core, 3.1.2.6. */
export class OAuthError extends Error {
  override readonly name = 'OAuthError';
  readonly code: OAuthErrorCode;

  constructor(code: OAuthErrorCode, description: string) {
    super(description);
    this.code = code;
  }
}

/** Answers of these endpoints are never kept by anyone (RFC 6749, 5.1). */
export const noStore = { 'cache-control': 'no-store', pragma: 'no-cache' };

/** The refusal as an answer: 401 for a client that could not be told apart, 400 otherwise. */
export function errorReply(error: OAuthError): Reply {
  const body = { error: error.code, error_description: error.message };
  return error.code === 'invalid_client'
    ? new Reply(401, body, { ...noStore, 'www-authenticate': 'Basic realm="tributary"' })
    : new Reply(400, body, noStore);
}

/** Runs `work`; a refusal becomes its answer. */
export async function answering<T>(work: () => Promise<T>): Promise<T | Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) return errorReply(error);
    throw error;
  }
}
