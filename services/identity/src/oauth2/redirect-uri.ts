const MAX_LENGTH = 2083;
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether an application may have answers sent there: https, or http on the user's own machine; no fragment. */
export function isRedirectUri(text: string): boolean {
  if (text.length > MAX_LENGTH || /[\s\\]/.test(text) || !URL.canParse(text)) return false;
  const url = new URL(text);
  if (text.includes('#') || url.username !== '' || url.password !== '') return false;
  return url.protocol === 'https:' || (url.protocol === 'http:' && LOOPBACK.has(url.hostname));
}

/**
 * Whether a requested address is a registered one, letter by letter. On the user's own machine the port may be any:
 * a native application listens where it finds room (RFC 8252, 7.3).
 */
export function isRegistered(requested: string, registered: readonly string[]): boolean {
  if (registered.includes(requested)) return true;
  const portless = withoutLoopbackPort(requested);
  return portless !== undefined && registered.some((uri) => withoutLoopbackPort(uri) === portless);
}

function withoutLoopbackPort(text: string): string | undefined {
  if (!isRedirectUri(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:') return undefined;
  url.port = '';
  return url.href;
}

/** The address with parameters added to its query; undefined values are left out. */
export function withParameters(
  address: string,
  parameters: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.append(name, value);
  }
  return url.href;
}
