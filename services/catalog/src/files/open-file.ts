import { Reply } from '@tributary/runtime/http/reply.ts';
import type { StoredFile } from './file.ts';
import type { FileStorage } from './storage.ts';

/** How long the storage's own address, which a reader is sent to at once, stays good. */
const REDIRECT_MS = 60_000;

/** The answer that gives a file's bytes, or leads to them. What is inside cannot run as a page of ours. */
export async function openFile(
  storage: FileStorage,
  file: StoredFile,
  disposition: 'attachment' | 'inline',
  now: Date,
): Promise<Reply> {
  const contentDisposition = `${disposition}; filename*=UTF-8''${encodeName(file.name)}`;
  const opened = await storage.open(file, new Date(now.getTime() + REDIRECT_MS), contentDisposition);
  if ('redirect' in opened) return new Reply(302, undefined, { location: opened.redirect });
  return new Reply(200, opened.stream, {
    'content-type': file.mime_type,
    'content-length': String(file.size),
    'content-disposition': contentDisposition,
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'",
    'x-content-type-options': 'nosniff',
  });
}

/** RFC 8187: everything outside its short list of characters is percent-encoded. */
const encodeName = (name: string): string =>
  encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
