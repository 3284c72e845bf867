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

const bodyOf = (error: OAuthError) => ({ error: error.code, error_description: error.message });

/** The refusal where a user or a program asks for one. */
export const refusalReply = (error: OAuthError): Reply => new Reply(400, bodyOf(error), noStore);

/** The refusal where a client speaks for itself: 401 for one that could not be told apart. */
const clientRefusal = (error: OAuthError): Reply =>
  error.code === 'invalid_client'
    ? new Reply(401, bodyOf(error), { ...noStore, 'www-authenticate': 'Basic realm="tributary"' })
    : refusalReply(error);

/** Runs a client's request; a refusal becomes its answer. */
export async function answering<T>(work: () => Promise<T>): Promise<T | Reply> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof OAuthError) return clientRefusal(error);
    throw error;
  }
}
