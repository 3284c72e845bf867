import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { type FilePart, inOrder } from './file.ts';
import { type FileStorage, type StoredObject, UploadRejected } from './storage.ts';

export interface S3Options {
  bucket: string;
  region: string;
  /** Another server that speaks S3. */
  endpoint?: string;
}

/** What S3 answers when the parts named are not the parts it has. */
const REJECTIONS = new Set([
  'InvalidPart',
  'InvalidPartOrder',
  'EntityTooSmall',
  'BadDigest',
  'InvalidRequest',
]);
const SHA256 = 'x-amz-checksum-sha256';

/** Files in a bucket: clients send their parts to S3 and are sent there to read. */
export function s3Storage({ bucket, region, endpoint }: S3Options): FileStorage {
  const client = new S3Client({
    region,
    ...(endpoint ? { endpoint, forcePathStyle: true } : {}),
    // a checksum the client did not ask for would have to be sent by whoever uses the address
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const at = (path: string) => ({ Bucket: bucket, Key: path });

  async function stored(path: string, needsSha256: boolean): Promise<StoredObject> {
    const head = await client.send(new HeadObjectCommand(at(path)));
    return {
      size: head.ContentLength ?? 0,
      etag: head.ETag?.replaceAll('"', '') ?? null,
      sha256: needsSha256 ? await digest(path) : null,
      version: head.VersionId ?? null,
    };
  }

  async function digest(path: string): Promise<Buffer> {
    const { Body } = await client.send(new GetObjectCommand(at(path)));
    const hash = createHash('sha256');
    for await (const chunk of Body as Readable) hash.update(chunk as Buffer);
    return hash.digest();
  }

  return {
    async begin(file, parts, until) {
      const isChecked = areChecked(parts);
      const { UploadId } = await client.send(
        new CreateMultipartUploadCommand({
          ...at(file.path),
          ContentType: file.mime_type,
          ...(isChecked ? { ChecksumAlgorithm: 'SHA256' } : {}),
        }),
      );
      const addresses = [];
      for (const { number, checksum_sha256_base64 } of parts) {
        const checksum = isChecked ? checksum_sha256_base64 : null;
        const command = new UploadPartCommand({
          ...at(file.path),
          UploadId,
          PartNumber: number,
          ...(checksum ? { ChecksumSHA256: checksum } : {}),
        });
        const url = await getSignedUrl(client, command, {
          expiresIn: secondsUntil(until),
          unhoistableHeaders: new Set([SHA256]),
        });
        addresses.push({
          number,
          url,
          headers: checksum ? { [SHA256]: checksum } : ({} as Record<string, string>),
        });
      }
      return { uploadId: UploadId!, parts: addresses };
    },
    async complete(file, parts, needsSha256) {
      const { path, upload_id } = file;
      if (parts.length === 0) {
        await client.send(
          new PutObjectCommand({ ...at(path), ContentType: file.mime_type, ContentLength: 0 }),
        );
        return stored(path, needsSha256);
      }
      const isChecked = areChecked(file.parts);
      const announced = new Map(file.parts.map((part) => [part.number, part.checksum_sha256_base64]));
      try {
        await client.send(
          new CompleteMultipartUploadCommand({
            ...at(path),
            UploadId: upload_id!,
            MultipartUpload: {
              Parts: inOrder(parts).map((part) => ({
                PartNumber: part.number,
                ETag: part.checksum_etag,
                ...(isChecked
                  ? { ChecksumSHA256: part.checksum_sha256_base64 ?? announced.get(part.number)! }
                  : {}),
              })),
            },
          }),
        );
      } catch (error) {
        const { name, message } = error as Error;
        if (REJECTIONS.has(name)) throw new UploadRejected(message);
        // the upload is gone because this very call was made before
        if (name !== 'NoSuchUpload') throw error;
      }
      return stored(path, needsSha256);
    },
    async open({ path, mime_type }, until, disposition) {
      const command = new GetObjectCommand({
        ...at(path),
        ResponseContentType: mime_type,
        ResponseContentDisposition: disposition,
      });
      return { redirect: await getSignedUrl(client, command, { expiresIn: secondsUntil(until) }) };
    },
    async remove({ path, upload_id }) {
      if (upload_id) {
        await client
          .send(new AbortMultipartUploadCommand({ ...at(path), UploadId: upload_id }))
          .catch((error: Error) => {
            if (error.name !== 'NoSuchUpload') throw error;
          });
      }
      await client.send(new DeleteObjectCommand(at(path)));
    },
  };
}

/** S3 takes checksums of all parts of an upload, at its end too, or of none. The whole is checked in either case. */
const areChecked = (parts: readonly FilePart[]): boolean =>
  parts.length > 0 && parts.every((part) => part.checksum_sha256_base64 !== null);

const secondsUntil = (until: Date): number => Math.max(1, Math.round((until.getTime() - Date.now()) / 1_000));
