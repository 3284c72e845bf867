import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { type FilePart, inOrder, partLimit } from './file.ts';
import type { FileLinks } from './links.ts';
import { type CompletedPart, type FileStorage, PartTooLarge, UploadRejected } from './storage.ts';

/**
 * Files in a folder of this machine. A part or file appears under its name only when it is whole: it is written
 * under another name first and then renamed.
 * @param root folder that nothing else uses
 */
export function localStorage(root: string, links: FileLinks): FileStorage {
  const base = resolve(root);
  const objectPath = (path: string) => inside(join(base, 'objects'), path);
  const uploadFolder = (uploadId: string) => inside(join(base, 'uploads'), uploadId);
  const partPath = (uploadId: string, number: number) => join(uploadFolder(uploadId), String(number));
  return {
    async begin(file, parts, until) {
      const uploadId = randomUUID();
      await mkdir(uploadFolder(uploadId), { recursive: true });
      const addresses = parts.map(({ number }) => ({
        number,
        url: links.upload(file.id, number, until),
        headers: {},
      }));
      return { uploadId, parts: addresses };
    },
    async receive({ upload_id }, part, body) {
      const target = partPath(upload_id!, part.number);
      const temporary = `${target}.${randomUUID()}`;
      try {
        const sha256 = await writeBounded(body, temporary, partLimit(part));
        refuseWrongChecksum(part, sha256);
        await rename(temporary, target);
        return sha256.toString('hex');
      } catch (error) {
        await rm(temporary, { force: true });
        throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? notFound('The upload has ended.') : error;
      }
    },
    async complete({ upload_id, path }, parts) {
      const target = objectPath(path);
      const done = await existing(target);
      if (done) return done;
      const sources = inOrder(parts).map((part) => ({ ...part, from: partPath(upload_id!, part.number) }));
      await mkdir(dirname(target), { recursive: true });
      const whole = createHash('sha256');
      let size = 0;
      const temporary = `${target}.${randomUUID()}`;
      try {
        await pipeline(
          Readable.from(concatenated(sources)),
          tap((chunk) => {
            size += chunk.length;
            whole.update(chunk);
          }),
          createWriteStream(temporary, { flags: 'wx', flush: true }),
        );
        await rename(temporary, target);
      } catch (error) {
        await rm(temporary, { force: true });
        // another call may have been quicker and have taken the parts away
        const doneMeanwhile = await existing(target);
        if (doneMeanwhile) return doneMeanwhile;
        throw error;
      }
      await rm(uploadFolder(upload_id!), { recursive: true, force: true });
      const sha256 = whole.digest();
      return { size, etag: sha256.toString('hex'), sha256, version: null };
    },
    async open({ path }) {
      const handle = await open(objectPath(path)).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? notFound('File not found') : error;
      });
      return { stream: handle.createReadStream() };
    },
    async remove({ path, upload_id }) {
      await rm(dirname(objectPath(path)), { recursive: true, force: true });
      if (upload_id) await rm(uploadFolder(upload_id), { recursive: true, force: true });
    },
  };
}

/** A path below `folder`; anything that leads out of it is a bug of the caller. */
function inside(folder: string, path: string): string {
  const full = resolve(folder, path);
  if (!full.startsWith(folder + sep)) throw new RangeError('a path leads out of the storage');
  return full;
}

/** Writes at most `limit` bytes and returns their SHA-256. */
async function writeBounded(body: Readable, target: string, limit: number): Promise<Buffer> {
  const hash = createHash('sha256');
  let size = 0;
  const count = tap((chunk) => {
    size += chunk.length;
    if (size > limit) throw new Problem(PartTooLarge, `The part has at most ${limit} bytes.`);
    hash.update(chunk);
  });
  await pipeline(body, count, createWriteStream(target, { flags: 'wx', flush: true }));
  return hash.digest();
}

function refuseWrongChecksum({ number, checksum_sha256_base64 }: FilePart, sha256: Buffer): void {
  if (checksum_sha256_base64 !== null && sha256.toString('base64') !== checksum_sha256_base64)
    throw new UploadRejected('The bytes do not have the checksum that was announced.', number);
}

/** The parts' bytes one after the other; each part is checked against what the client says of it. */
async function* concatenated(parts: readonly (CompletedPart & { from: string })[]): AsyncGenerator<Buffer> {
  for (const { number, from, checksum_etag, checksum_sha256_base64 } of parts) {
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(from) as AsyncIterable<Buffer>) {
        hash.update(chunk);
        yield chunk;
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new UploadRejected('The part has not been uploaded.', number);
    }
    const digest = hash.digest();
    if (checksum_etag.replaceAll('"', '') !== digest.toString('hex'))
      throw new UploadRejected('The ETag is not that of the part.', number);
    if (checksum_sha256_base64 !== null && checksum_sha256_base64 !== digest.toString('base64'))
      throw new UploadRejected('The checksum is not that of the part.', number);
  }
}

const tap = (look: (chunk: Buffer) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        look(chunk);
        done(null, chunk);
      } catch (error) {
        done(error as Error);
      }
    },
  });

async function existing(path: string) {
  const found = await stat(path).catch(() => undefined);
  if (!found) return undefined;
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const sha256 = hash.digest();
  return { size: found.size, etag: sha256.toString('hex'), sha256, version: null };
}
