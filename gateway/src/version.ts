/** The releases of the contract that are served; the last is the default. */
export const releases = ['2026-04'] as const;
export const currentRelease: string = releases.at(-1)!;

export const VERSION_HEADER = 'tributary-version';

/** The release a request asks for; undefined when there is no such release. */
export function requestedRelease(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return currentRelease;
  return releases.find((release) => release === header);
}

const OLD_PREFIX = '/api/v1/';
/** Since when the old prefix is deprecated, as RFC 9745 wants it: 1 April 2026. */
export const DEPRECATION = '@1775001600';

/** Whether the target uses the prefix the API had before its first release. */
export const isOldPrefix = (target: string): boolean => target.startsWith(OLD_PREFIX);

/** The target without the old prefix. */
export const withoutOldPrefix = (target: string): string => target.slice('/api'.length);
