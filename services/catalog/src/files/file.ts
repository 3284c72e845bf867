import type { Recorded } from '@tributary/runtime/db/columns.ts';

export const fileServices = [
  'downloadable',
  'product_media',
  'organization_avatar',
  'support_case_attachment',
] as const;
export type FileService = (typeof fileServices)[number];

/** A piece of an upload: bytes `chunk_start` up to `chunk_end` of the file. */
export interface FilePart {
  number: number;
  chunk_start: number;
  chunk_end: number;
  checksum_sha256_base64: string | null;
}

export interface StoredFile extends Recorded {
  organization_id: string;
  deleted_at: Date | null;
  /** When its bytes left the storage. */
  erased_at: Date | null;
  service: FileService;
  name: string;
  /** Where the storage keeps it: service/organization/file/name. */
  path: string;
  mime_type: string;
  size: number;
  version: string | null;
  upload_id: string | null;
  parts: FilePart[];
  is_uploaded: boolean;
  storage_version: string | null;
  checksum_etag: string | null;
  checksum_sha256_base64: string | null;
  checksum_sha256_hex: string | null;
  last_modified_at: Date | null;
  flagged_malicious_at: Date | null;
}

/** Anybody may read these by their address. */
export const isPublic = (service: FileService): boolean =>
  service === 'product_media' || service === 'organization_avatar';

const MAX_PATH_NAME_BYTES = 200;

/** Path of a file; the name loses what could lead out of its folder or is too long for a file system. */
export function pathOf(service: FileService, organizationId: string, id: string, name: string): string {
  return `${service}/${organizationId}/${id}/${safeName(name)}`;
}

function safeName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it takes out
  const safe = name.replaceAll(/[/\\\u0000-\u001f\u007f]/g, '_').replace(/^\.+/, '_');
  let kept = '';
  let bytes = 0;
  for (const character of safe) {
    bytes += Buffer.byteLength(character);
    if (bytes > MAX_PATH_NAME_BYTES) break;
    kept += character;
  }
  return kept === '' ? '_' : kept;
}

export interface PartFault {
  path: (string | number)[];
  msg: string;
}

/** Parts, in any order, must cover the file once; the end of a part may be named exclusively or inclusively. */
export function partFaults(parts: readonly FilePart[], size: number): PartFault[] {
  const numbers = new Set(parts.map((part) => part.number));
  if (numbers.size < parts.length) return [{ path: [], msg: 'Every part needs a number of its own.' }];
  if (parts.length === 0) return size === 0 ? [] : [{ path: [], msg: 'At least one part is required.' }];
  let expected = 0;
  for (const part of inOrder(parts)) {
    const index = parts.indexOf(part);
    if (part.chunk_start !== expected && part.chunk_start !== expected + 1)
      return [{ path: [index, 'chunk_start'], msg: 'Must be where the previous part ends.' }];
    if (part.chunk_end < part.chunk_start || part.chunk_end > size)
      return [{ path: [index, 'chunk_end'], msg: 'Must lie between chunk_start and the size of the file.' }];
    expected = part.chunk_end;
  }
  if (expected !== size && expected !== size - 1)
    return [
      { path: [parts.indexOf(inOrder(parts).at(-1)!), 'chunk_end'], msg: 'Must be the end of the file.' },
    ];
  return [];
}

export const inOrder = <P extends Pick<FilePart, 'number'>>(parts: readonly P[]): P[] =>
  parts.toSorted((a, b) => a.number - b.number);

/** The most bytes a part can have. */
export const partLimit = (part: FilePart): number => part.chunk_end - part.chunk_start + 1;

const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'];

/** A size for people, in powers of 1024: `1.2 MB`. */
export function readableSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit]}`;
}
