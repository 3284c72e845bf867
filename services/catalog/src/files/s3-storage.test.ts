import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FilePart } from './file.ts';
import { s3Storage } from './s3-storage.ts';
import type { FileStorage } from './storage.ts';

/** As much of S3 as an upload in parts needs, in memory, and as strict with checksums. */
function bucketServer() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<string, Buffer>>();
  let isChecked = false;
  const server = createServer(async (request, response) => {
    const url = new URL(request.url!, 'http://localhost');
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const key = decodeURIComponent(url.pathname);
    const upload = url.searchParams.get('uploadId');
    const fail = (status: number, code: string) =>
      response
        .writeHead(status, { 'content-type': 'application/xml' })
        .end(`<Error><Code>${code}</Code></Error>`);
    if (request.method === 'POST' && url.searchParams.has('uploads')) {
      uploads.set('upload-1', new Map());
      isChecked = request.headers['x-amz-checksum-algorithm'] === 'SHA256';
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>upload-1</UploadId></InitiateMultipartUploadResult>',
      );
    }
    if (request.method === 'PUT' && upload) {
      const expected = request.headers['x-amz-checksum-sha256'];
      if ((expected !== undefined) !== isChecked) return fail(400, 'InvalidRequest');
      if (expected !== undefined && expected !== hash('sha256', body, 'base64'))
        return fail(400, 'BadDigest');
      uploads.get(upload)?.set(url.searchParams.get('partNumber')!, body);
      return response.setHeader('etag', `"${hash('md5', body)}"`).end();
    }
    if (request.method === 'POST' && upload) {
      const parts = uploads.get(upload);
      if (!parts) return fail(404, 'NoSuchUpload');
      const named = [...body.toString().matchAll(/<ETag>(?:&quot;|")?(\w+)(?:&quot;|")?<\/ETag>/g)].map(
        (match) => match[1],
      );
      const stored = [...parts.values()];
      if (named.length === 0) return fail(400, 'MalformedXML');
      const sums = [...body.toString().matchAll(/<ChecksumSHA256>(.*?)<\/ChecksumSHA256>/g)].map(
        (match) => match[1],
      );
      const own = stored.map((part) => hash('sha256', part, 'base64'));
      if (sums.join() !== (isChecked ? own.join() : '')) return fail(400, 'InvalidRequest');
      if (stored.map((part) => hash('md5', part)).join() !== named.join()) return fail(400, 'InvalidPart');
      objects.set(key, Buffer.concat(stored));
      uploads.delete(upload);
      return response.end(
        '<CompleteMultipartUploadResult><ETag>"done-2"</ETag></CompleteMultipartUploadResult>',
      );
    }
    if (request.method === 'PUT') {
      objects.set(key, body);
      return response.setHeader('etag', '"done-2"').end();
    }
    if (request.method === 'DELETE') {
      if (upload) return uploads.delete(upload) ? response.writeHead(204).end() : fail(404, 'NoSuchUpload');
      objects.delete(key);
      return response.writeHead(204).end();
    }
    const object = objects.get(key);
    if (!object) return fail(404, 'NoSuchKey');
    response.writeHead(200, { etag: '"done-2"', 'content-length': object.length });
    return response.end(request.method === 'HEAD' ? undefined : object);
  });
  return { server, objects };
}

let server: Server;
let objects: Map<string, Buffer>;
let storage: FileStorage;
const file = {
  parts: [] as FilePart[],
  id: 'f',
  path: 'downloadable/o/f/a b.txt',
  mime_type: 'text/plain',
  name: 'a b.txt',
  upload_id: null,
};
const bytes = Buffer.from('parted but whole');
const until = () => new Date(Date.now() + 3_600_000);
/** Two parts, those of the numbers with a checksum. */
const partsWith = (...checked: number[]): FilePart[] =>
  [
    { number: 1, chunk_start: 0, chunk_end: 6 },
    { number: 2, chunk_start: 6, chunk_end: 16 },
  ].map((part) => ({
    ...part,
    checksum_sha256_base64: checked.includes(part.number)
      ? hash('sha256', bytes.subarray(part.chunk_start, part.chunk_end), 'base64')
      : null,
  }));

beforeAll(async () => {
  ({ server, objects } = bucketServer());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  process.env.AWS_ACCESS_KEY_ID = 'test';
  process.env.AWS_SECRET_ACCESS_KEY = 'test';
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  storage = s3Storage({ bucket: 'shop', region: 'us-east-1', endpoint });
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

async function send(parts = partsWith()) {
  const begun = await storage.begin(file, parts, until());
  const completed = [];
  for (const [index, { url, headers }] of begun.parts.entries()) {
    const { chunk_start, chunk_end } = parts[index]!;
    const sent = await fetch(url, { method: 'PUT', headers, body: bytes.subarray(chunk_start, chunk_end) });
    expect(sent.status).toBe(200);
    completed.push({
      number: index + 1,
      checksum_etag: sent.headers.get('etag')!,
      checksum_sha256_base64: null,
    });
  }
  return { handle: { ...file, parts, upload_id: begun.uploadId }, completed };
}

test.each([
  ['none of which has a checksum', []],
  ['all of which have one', [1, 2]],
  ['one of which has one', [1]],
])('clients send parts, %s, to signed addresses; the file is checked as a whole', async (_which, checked) => {
  const { handle, completed } = await send(partsWith(...checked));
  const stored = await storage.complete(handle, completed, true);
  expect(stored).toEqual({
    size: 16,
    etag: 'done-2',
    sha256: hash('sha256', bytes, 'buffer'),
    version: null,
  });
  expect(await storage.complete(handle, completed, false)).toEqual({ ...stored, sha256: null });
  expect(objects.get('/shop/downloadable/o/f/a b.txt')).toEqual(bytes);
});

test('a part needs the checksum it was announced with', async () => {
  const begun = await storage.begin(file, partsWith(1, 2), until());
  const { url, headers } = begun.parts[0]!;
  expect(headers).toHaveProperty('x-amz-checksum-sha256');
  expect((await fetch(url, { method: 'PUT', headers, body: 'others' })).status).toBe(400);
});

test('a part must have the checksum that its client says at the end', async () => {
  const { handle, completed } = await send(partsWith(1, 2));
  const wrong = [completed[0]!, { ...completed[1]!, checksum_sha256_base64: hash('sha256', 'x', 'base64') }];
  await expect(storage.complete(handle, wrong, false)).rejects.toMatchObject({ name: 'UploadRejected' });
});

test('a file without bytes has no parts', async () => {
  const { uploadId } = await storage.begin(file, [], until());
  const stored = await storage.complete({ ...file, upload_id: uploadId }, [], true);
  expect(stored).toMatchObject({ size: 0, sha256: hash('sha256', '', 'buffer') });
});

test('parts that are not there are refused as such', async () => {
  const { handle, completed } = await send();
  const wrong = [completed[0]!, { ...completed[1]!, checksum_etag: 'ffff' }];
  await expect(storage.complete(handle, wrong, false)).rejects.toMatchObject({ name: 'UploadRejected' });
});

test('readers are sent to an address that works, until the file is removed', async () => {
  const { handle, completed } = await send();
  await storage.complete(handle, completed, false);
  const opened = await storage.open(handle, until(), 'attachment');
  const { redirect } = opened as { redirect: string };
  expect(await (await fetch(redirect)).text()).toBe(bytes.toString());
  await storage.remove(handle);
  expect((await fetch(redirect)).status).toBe(404);
});
