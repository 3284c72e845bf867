const HOST =
  /^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?::\d{1,5})?$/;

/**
 * The host, in lower case and with its port if it has one, of a site that may embed checkouts. Takes `example.com`,
 * `*.example.com`, `localhost:3000` or a whole http(s) origin; undefined for anything else.
 */
export function parseEmbedHost(text: string): string | undefined {
  const host = /^https?:\/\//i.test(text)
    ? URL.canParse(text)
      ? new URL(text).host
      : ''
    : text.toLowerCase();
  return host.length <= 253 && HOST.test(host) ? host : undefined;
}
