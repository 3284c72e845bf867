import { iso } from '@tributary/runtime/db/columns.ts';
import { isPublic, readableSize, type StoredFile } from './file.ts';
import type { FileLinks } from './links.ts';
import type { FileWire } from './schema.ts';
import type { PartAddress } from './storage.ts';

const presentStored = (file: StoredFile) => ({
  id: file.id,
  organization_id: file.organization_id,
  name: file.name,
  path: file.path,
  mime_type: file.mime_type,
  size: file.size,
  storage_version: file.storage_version,
  checksum_etag: file.checksum_etag,
  checksum_sha256_base64: file.checksum_sha256_base64,
  checksum_sha256_hex: file.checksum_sha256_hex,
  last_modified_at: iso(file.last_modified_at),
  version: file.version,
  is_uploaded: file.is_uploaded,
  size_readable: readableSize(file.size),
});

export const presentFile = (file: StoredFile, links: FileLinks): FileWire =>
  ({
    ...presentStored(file),
    service: file.service,
    created_at: file.created_at.toISOString(),
    ...(isPublic(file.service) ? { public_url: links.publicUrl(file) } : {}),
    ...(file.service === 'downloadable' ? { flagged_malicious_at: iso(file.flagged_malicious_at) } : {}),
  }) as FileWire;

/** A file whose parts are about to be sent. */
export const presentUpload = (file: StoredFile, addresses: readonly PartAddress[], until: Date) => ({
  ...presentStored(file),
  service: file.service,
  upload: {
    id: file.upload_id!,
    path: file.path,
    parts: file.parts.map((part, index) => ({
      ...part,
      url: addresses[index]!.url,
      expires_at: until.toISOString(),
      headers: addresses[index]!.headers,
    })),
  },
});

/** A file with the address a customer fetches it from. */
export const presentDownload = (file: StoredFile, url: string, until: Date) => ({
  ...presentStored(file),
  service: file.service,
  download: { url, headers: {}, expires_at: until.toISOString() },
});
