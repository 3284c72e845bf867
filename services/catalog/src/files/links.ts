import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StoredFile } from './file.ts';

/** What a signed address allows, until a moment in epoch seconds. */
export type Pass =
  | { for: 'upload'; file: string; part: number; until: number }
  | { for: 'download'; downloadable: string; until: number };

export interface FileLinks {
  /** Address to PUT one part to. */
  upload(fileId: string, part: number, until: Date): string;
  /** Address to GET a customer's file from. */
  download(downloadableId: string, until: Date): string;
  /** Lasting address of a file anybody may read. */
  publicUrl(file: Pick<StoredFile, 'id' | 'path'>): string;
  /** The pass in a token of one's own making; undefined for anything else. */
  read(token: string): Pass | undefined;
}

export const UPLOAD_PATH = '/v1/storage/uploads/{token}';
export const DOWNLOAD_PATH = '/v1/storage/downloads/{token}';
export const PUBLIC_PATH = '/v1/storage/public/{id}/{name}';

/**
 * Addresses below the platform's own, signed with HMAC-SHA256 under a key derived for this purpose alone.
 * @param base the platform's public address
 */
export function fileLinks(base: string, secret: string): FileLinks {
  const key = createHmac('sha256', secret).update('catalog file links').digest();
  const sign = (payload: string) => createHmac('sha256', key).update(payload).digest('base64url');
  const tokenOf = (pass: Pass) => {
    const payload = Buffer.from(JSON.stringify(pass)).toString('base64url');
    return `${payload}.${sign(payload)}`;
  };
  const address = (path: string, token: string) => `${base}${path.replace('{token}', token)}`;
  return {
    upload: (file, part, until) =>
      address(UPLOAD_PATH, tokenOf({ for: 'upload', file, part, until: seconds(until) })),
    download: (downloadable, until) =>
      address(DOWNLOAD_PATH, tokenOf({ for: 'download', downloadable, until: seconds(until) })),
    publicUrl: ({ id, path }) =>
      `${base}${PUBLIC_PATH.replace('{id}', id).replace('{name}', () => encodeURIComponent(path.split('/').at(-1)!))}`,
    read(token) {
      const [payload = '', signature = ''] = token.split('.', 2);
      if (!isSame(signature, sign(payload))) return undefined;
      return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Pass;
    },
  };
}

const seconds = (instant: Date): number => Math.floor(instant.getTime() / 1_000);

function isSame(given: string, expected: string): boolean {
  const left = Buffer.from(given);
  const right = Buffer.from(expected);
  return left.length === right.length && timingSafeEqual(left, right);
}
