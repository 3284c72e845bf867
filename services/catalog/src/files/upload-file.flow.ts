import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { type FilePart, partFaults, pathOf, type StoredFile } from './file.ts';
import type { FileCreate, FileUploadCompleted } from './schema.ts';
import { type PartAddress, type StoredObject, UploadRejected } from './storage.ts';
import { getFile, insertFile, updateFile } from './store.ts';

/** How long the addresses of parts are good for. */
const UPLOAD_MS = 3_600_000;

export interface BegunUpload {
  file: StoredFile;
  addresses: PartAddress[];
  until: Date;
}

/** Opens an upload at the storage; the file is not on record before `recordUpload`. */
export async function beginUpload(
  { storage }: App,
  organizationId: string,
  input: FileCreate,
  now: Date,
): Promise<BegunUpload> {
  const file = newFile(organizationId, input, now);
  const faults = partFaults(file.parts, file.size);
  if (faults.length > 0) {
    throw new ValidationProblem(
      faults.map(({ path, msg }) => ({
        loc: ['body', 'upload', 'parts', ...path],
        msg,
        type: 'value_error',
      })),
    );
  }
  const until = new Date(now.getTime() + UPLOAD_MS);
  const { uploadId, parts } = await storage.begin(file, file.parts, until);
  return { file: { ...file, upload_id: uploadId }, addresses: parts, until };
}

function newFile(organizationId: string, input: FileCreate, now: Date): StoredFile {
  const id = newId();
  const checksum = input.checksum_sha256_base64 ?? null;
  return {
    id,
    created_at: now,
    modified_at: null,
    deleted_at: null,
    erased_at: null,
    organization_id: organizationId,
    service: input.service,
    name: input.name,
    path: pathOf(input.service, organizationId, id, input.name),
    mime_type: input.mime_type,
    size: input.size,
    version: input.version ?? null,
    upload_id: null,
    parts: input.upload.parts.map(
      (part): FilePart => ({ ...part, checksum_sha256_base64: part.checksum_sha256_base64 ?? null }),
    ),
    is_uploaded: false,
    storage_version: null,
    checksum_etag: null,
    checksum_sha256_base64: checksum,
    checksum_sha256_hex: checksum && Buffer.from(checksum, 'base64').toString('hex'),
    last_modified_at: null,
    flagged_malicious_at: null,
  };
}

export const recordUpload = (tx: Tx, { file }: BegunUpload) => insertFile(tx, file);

/** Has the storage make one file of the parts, and checks that it is the file that was announced. */
export async function assembleUpload(
  { storage }: App,
  file: StoredFile,
  input: FileUploadCompleted,
): Promise<StoredObject> {
  refuseOtherUpload(file, input);
  try {
    const object = await storage.complete(file, input.parts, file.checksum_sha256_base64 !== null);
    if (object.size !== file.size)
      throw invalid(['body', 'parts'], `The file has ${object.size} bytes instead of ${file.size}.`);
    const expected = file.checksum_sha256_base64;
    if (expected !== null && object.sha256?.toString('base64') !== expected)
      throw invalid(['body', 'parts'], 'The file does not have the checksum that was announced.');
    return object;
  } catch (error) {
    if (!(error instanceof UploadRejected)) throw error;
    const index = input.parts.findIndex((part) => part.number === error.number);
    throw invalid(['body', 'parts', ...(index < 0 ? [] : [index])], error.message);
  }
}

function refuseOtherUpload(file: StoredFile, input: FileUploadCompleted): void {
  if (input.id !== file.upload_id) throw invalid(['body', 'id'], 'This is not the upload of the file.');
  if (input.path !== file.path) throw invalid(['body', 'path'], 'This is not the path of the file.');
  const expected = new Set(file.parts.map((part) => part.number));
  const numbers = new Set(input.parts.map((part) => part.number));
  if (input.parts.length !== expected.size || expected.symmetricDifference(numbers).size > 0)
    throw invalid(['body', 'parts'], 'Every part of the upload must be listed once.');
}

/** Puts an assembled upload on record; of several calls at once all succeed and the first counts. */
export async function completeUpload(
  tx: Tx,
  { id, organization_id }: StoredFile,
  object: StoredObject,
  now: Date,
): Promise<StoredFile> {
  const file = await getFile(tx, [organization_id], id, true);
  if (file.is_uploaded) return file;
  const uploaded: StoredFile = {
    ...file,
    modified_at: now,
    is_uploaded: true,
    size: object.size,
    storage_version: object.version,
    checksum_etag: object.etag,
    checksum_sha256_base64: object.sha256?.toString('base64') ?? file.checksum_sha256_base64,
    checksum_sha256_hex: object.sha256?.toString('hex') ?? file.checksum_sha256_hex,
    last_modified_at: now,
  };
  await updateFile(tx, uploaded);
  return uploaded;
}
