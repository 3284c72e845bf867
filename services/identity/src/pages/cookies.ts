/** Cookies of the pages. They are sent to the pages only: the API knows bearer tokens and nothing else. */
const PATH = '/v1/oauth2';
const NAME_AND_VALUE = /^\s*([^=\s]+)=(.*?)\s*$/;

/** The value of a cookie a request brings. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [, found, value] = NAME_AND_VALUE.exec(part) ?? [];
    if (found === name) return value;
  }
  return undefined;
}

export interface CookieOptions {
  /** Seconds; 0 deletes it. */
  maxAge: number;
  /** Whether the platform is reached by https. */
  isSecure: boolean;
}

/** A cookie that scripts cannot read and other sites' forms do not send. */
export const setCookie = (name: string, value: string, { maxAge, isSecure }: CookieOptions): string =>
  `${name}=${value}; Path=${PATH}; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
