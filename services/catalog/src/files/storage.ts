import type { Readable } from 'node:stream';
import { problemType } from '@tributary/runtime/http/problem.ts';
import type { FilePart, StoredFile } from './file.ts';

/** The address a client sends one part to, with the headers it must send along. */
export interface PartAddress {
  number: number;
  url: string;
  headers: Record<string, string>;
}

/** A part as the client says it was stored. */
export interface CompletedPart {
  number: number;
  checksum_etag: string;
  checksum_sha256_base64: string | null;
}

/** What the storage holds after an upload. */
export interface StoredObject {
  size: number;
  etag: string | null;
  /** Of the whole file; null where the storage was not asked to compute it. */
  sha256: Buffer | null;
  version: string | null;
}

/** How a reader gets at a file: its bytes, or an address to be sent to. */
export type Opened = { stream: Readable } | { redirect: string };

export type FileHandle = Pick<StoredFile, 'id' | 'path' | 'mime_type' | 'upload_id' | 'name' | 'parts'>;

/** Where the bytes are. Paths come from `pathOf` and from nowhere else. */
export interface FileStorage {
  /** Opens an upload in parts. */
  begin(
    file: FileHandle,
    parts: readonly FilePart[],
    until: Date,
  ): Promise<{ uploadId: string; parts: PartAddress[] }>;
  /** Takes one part; absent where clients send parts to the storage themselves. Returns the part's ETag. */
  receive?(file: FileHandle, part: FilePart, body: Readable): Promise<string>;
  /**
   * Makes one file of the parts; doing it again is harmless.
   * @param needsSha256 whether the checksum of the whole is wanted even if it costs reading all of it
   * @throws UploadRejected when a part is missing or not what the client says
   */
  complete(file: FileHandle, parts: readonly CompletedPart[], needsSha256: boolean): Promise<StoredObject>;
  /**
   * @param until when a redirect's address stops working
   * @param disposition the Content-Disposition a redirect's answer is to have
   */
  open(file: FileHandle, until: Date, disposition: string): Promise<Opened>;
  /** Removes the file and whatever was uploaded of it. */
  remove(file: FileHandle): Promise<void>;
}

/** The uploaded parts are not what they should be; `number` names the one at fault, if it is one. */
export class UploadRejected extends Error {
  readonly number: number | undefined;

  constructor(message: string, number?: number) {
    super(message);
    this.name = 'UploadRejected';
    this.number = number;
  }
}

/** More bytes arrive than the part can have. */
export const PartTooLarge = problemType('RequestBodyTooLarge', 413);
