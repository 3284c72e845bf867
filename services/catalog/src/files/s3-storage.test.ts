import { hash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FilePart } from './file.ts';
import { s3Storage } from './s3-storage.ts';
import type { FileStorage } from './storage.ts';

/** As much of S3 as an upload in parts needs, in memory. */
function bucketServer() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Map<string, Buffer>>();
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
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>upload-1</UploadId></InitiateMultipartUploadResult>',
      );
    }
    if (request.method === 'PUT' && upload) {
      const expected = request.headers['x-amz-checksum-sha256'];
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
      if (stored.map((part) => hash('md5', part)).join() !== named.join()) return fail(400, 'InvalidPart');
      objects.set(key, Buffer.concat(stored));
      uploads.delete(upload);
      return response.end(
        '<CompleteMultipartUploadResult><ETag>"done-2"</ETag></CompleteMultipartUploadResult>',
      );
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
  id: 'f',
  path: 'downloadable/o/f/a b.txt',
  mime_type: 'text/plain',
  name: 'a b.txt',
  upload_id: null,
};
const bytes = Buffer.from('parted but whole');
const until = () => new Date(Date.now() + 3_600_000);
const parts: FilePart[] = [
  {
    number: 1,
    chunk_start: 0,
    chunk_end: 6,
    checksum_sha256_base64: hash('sha256', bytes.subarray(0, 6), 'base64'),
  },
  { number: 2, chunk_start: 6, chunk_end: 16, checksum_sha256_base64: null },
];

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

async function send() {
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
  return { handle: { ...file, upload_id: begun.uploadId }, completed };
}

test('clients send parts to signed addresses, and the file is checked as a whole', async () => {
  const { handle, completed } = await send();
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
  const begun = await storage.begin(file, parts, until());
  const { url, headers } = begun.parts[0]!;
  expect(headers).toHaveProperty('x-amz-checksum-sha256');
  expect((await fetch(url, { method: 'PUT', headers, body: 'others' })).status).toBe(400);
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
