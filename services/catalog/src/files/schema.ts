import { Id, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type FileService, fileServices } from './file.ts';

const FileServiceTypes = z.enum(fileServices).meta({ id: 'FileServiceTypes' });
const readOnly = z.string().meta({ readOnly: true });

const MAX_PARTS = 10_000;
const MAX_BYTES = 2 ** 31 - 1;
const MEBIBYTE = 1_048_576;

const identityShape = {
  id: Id,
  organization_id: Id,
  name: z.string(),
  path: z.string(),
  mime_type: z.string(),
};
const storedShape = {
  size: z.int(),
  storage_version: z.string().nullable(),
  checksum_etag: z.string().nullable(),
  checksum_sha256_base64: z.string().nullable(),
  checksum_sha256_hex: z.string().nullable(),
  last_modified_at: Timestamp.nullable(),
};
const fileShape = { ...identityShape, ...storedShape, version: z.string().nullable() };

const readShape = <S extends FileService>(service: S) => ({
  ...fileShape,
  service: z.literal(service),
  is_uploaded: z.boolean(),
  created_at: Timestamp,
  size_readable: readOnly,
});

export const DownloadableFileRead = z
  .object({ ...readShape('downloadable'), flagged_malicious_at: Timestamp.nullable() })
  .meta({ id: 'DownloadableFileRead' });
export const ProductMediaFileRead = z
  .object({ ...readShape('product_media'), public_url: readOnly })
  .meta({ id: 'ProductMediaFileRead' });
const OrganizationAvatarFileRead = z
  .object({ ...readShape('organization_avatar'), public_url: readOnly })
  .meta({ id: 'OrganizationAvatarFileRead' });
const SupportCaseAttachmentFileRead = z
  .object(readShape('support_case_attachment'))
  .meta({ id: 'SupportCaseAttachmentFileRead' });

export const FileRead = z
  .discriminatedUnion('service', [
    DownloadableFileRead,
    ProductMediaFileRead,
    OrganizationAvatarFileRead,
    SupportCaseAttachmentFileRead,
  ])
  .meta({ id: 'FileRead' });
export type FileWire = z.output<typeof FileRead>;

/** A file of a downloadables benefit, with how often it was fetched and by how many customers. */
export const BenefitDownloadableFile = z
  .object({
    ...readShape('downloadable'),
    flagged_malicious_at: Timestamp.nullable(),
    downloaders: z.int(),
    downloads: z.int(),
  })
  .meta({ id: 'BenefitDownloadableFile' });

const checksum = z
  .string()
  .regex(/^[A-Za-z0-9+/]{43}=$/, { error: 'Must be a SHA-256 digest in base64.' })
  .nullish();
const position = z.int().min(0).max(MAX_BYTES);
const partShape = {
  number: z.int().min(1).max(MAX_PARTS),
  chunk_start: position,
  chunk_end: position,
  checksum_sha256_base64: checksum,
};

const S3FileCreatePart = z.object(partShape).meta({ id: 'S3FileCreatePart' });
const S3FileCreateMultipart = z
  .object({ parts: z.array(S3FileCreatePart).max(MAX_PARTS) })
  .meta({ id: 'S3FileCreateMultipart' });

const IMAGE = /^image\/(jpeg|png|gif|webp|svg\+xml)$/;
const ATTACHMENT =
  /^(image\/(jpeg|png|gif|webp)|video\/(mp4|quicktime|webm)|application\/pdf|text\/(csv|plain)|application\/msword|application\/vnd\.openxmlformats-officedocument\.wordprocessingml\.document|application\/vnd\.ms-excel|application\/vnd\.openxmlformats-officedocument\.spreadsheetml\.sheet)$/;
/** Type and subtype, with parameters; nothing that could end a header line. */
const MIME_TYPE = /^[\w.+-]+\/[\w.+-]+(; ?[\w.+-]+="?[\w.+-]+"?)*$/;

const create = <S extends FileService>(service: S, mimeType: RegExp, maxBytes: number, id: string) =>
  z
    .object({
      organization_id: Id.nullish(),
      name: z.string().min(1).max(255),
      mime_type: z.string().max(255).regex(mimeType),
      size: z.int().min(0).max(maxBytes),
      checksum_sha256_base64: checksum,
      upload: S3FileCreateMultipart,
      service: z.literal(service),
      version: z.string().max(255).nullish(),
    })
    .meta({ id });

export const FileCreate = z
  .discriminatedUnion('service', [
    create('downloadable', MIME_TYPE, MAX_BYTES, 'DownloadableFileCreate'),
    create('product_media', IMAGE, 10 * MEBIBYTE, 'ProductMediaFileCreate'),
    create('organization_avatar', IMAGE, MEBIBYTE, 'OrganizationAvatarFileCreate'),
    create('support_case_attachment', ATTACHMENT, 250 * MEBIBYTE, 'SupportCaseAttachmentFileCreate'),
  ])
  .meta({ id: 'FileCreate' });
export type FileCreate = z.output<typeof FileCreate>;

const S3FileUploadPart = z
  .object({
    number: z.int(),
    chunk_start: z.int(),
    chunk_end: z.int(),
    checksum_sha256_base64: z.string().nullable().optional(),
    url: z.string(),
    expires_at: Timestamp,
    headers: z.record(z.string(), z.string()).optional(),
  })
  .meta({ id: 'S3FileUploadPart' });

export const FileUpload = z
  .object({
    ...fileShape,
    upload: z
      .object({ id: z.string(), path: z.string(), parts: z.array(S3FileUploadPart) })
      .meta({ id: 'S3FileUploadMultipart' }),
    is_uploaded: z.boolean().optional(),
    service: FileServiceTypes,
    size_readable: readOnly,
  })
  .meta({ id: 'FileUpload' });

export const FileUploadCompleted = z
  .object({
    id: z.string().max(2_048),
    path: z.string().max(2_048),
    parts: z
      .array(
        z
          .object({
            number: z.int().min(1).max(MAX_PARTS),
            checksum_etag: z.string().max(255),
            checksum_sha256_base64: z.string().max(255).nullable(),
          })
          .meta({ id: 'S3FileUploadCompletedPart' }),
      )
      .max(MAX_PARTS),
  })
  .meta({ id: 'FileUploadCompleted' });
export type FileUploadCompleted = z.output<typeof FileUploadCompleted>;

export const FilePatch = z
  .object({ name: z.string().max(255).nullish(), version: z.string().max(255).nullish() })
  .meta({ id: 'FilePatch' });

/** A downloadable file with the address it can be fetched from. */
export const FileDownload = z
  .object({
    ...fileShape,
    download: z
      .object({
        url: z.string(),
        headers: z.record(z.string(), z.string()).optional(),
        expires_at: Timestamp,
      })
      .meta({ id: 'S3DownloadURL' }),
    is_uploaded: z.boolean(),
    service: FileServiceTypes,
    size_readable: readOnly,
  })
  .meta({ id: 'FileDownload' });
