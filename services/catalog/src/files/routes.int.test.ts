import { hash } from 'node:crypto';
import { newId } from '@tributary/proto/id.ts';
import {
  customerSession,
  memberSession,
  organizationToken,
  readerOf,
} from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const sha256 = (bytes: Buffer) => hash('sha256', bytes, 'base64');
const pathOf = (url: string) => url.replace('https://shop.test', '');
const put = (url: string, bytes: Buffer) =>
  catalog.request('PUT', pathOf(url), {
    raw: bytes,
    headers: { 'content-type': 'application/octet-stream' },
  });
const locOf = (answer: { status: number; body: { detail: { loc: unknown[] }[] } }) => [
  answer.status,
  answer.body.detail[0]!.loc.join('.'),
];

const description = (bytes: Buffer, given: object = {}, at = bytes.length) => ({
  service: 'downloadable',
  name: 'notes.txt',
  mime_type: 'text/plain',
  size: bytes.length,
  checksum_sha256_base64: sha256(bytes),
  upload: {
    parts: [
      { number: 1, chunk_start: 0, chunk_end: at },
      ...(at < bytes.length ? [{ number: 2, chunk_start: at, chunk_end: bytes.length }] : []),
    ],
  },
  ...given,
});

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function send(upload: any, bytes: Buffer) {
  const parts = [];
  for (const { number, chunk_start, chunk_end, url } of upload.parts) {
    const { status, headers } = await put(url, bytes.subarray(chunk_start, chunk_end));
    expect(status).toBe(200);
    parts.push({ number, checksum_etag: headers.get('etag'), checksum_sha256_base64: null });
  }
  return { id: upload.id, path: upload.path, parts };
}

async function upload(bytes: Buffer, given: object = {}) {
  const file = await catalog.make('/v1/files/', description(bytes, given));
  const { status, body } = await catalog.api(
    'POST',
    `/v1/files/${file.id}/uploaded`,
    await send(file.upload, bytes),
  );
  expect(status).toBe(200);
  return body;
}

describe('uploading a file', () => {
  const bytes = Buffer.from('The quick brown fox jumps over the lazy dog');

  test('in parts gives the file with its size and checksums', async () => {
    const created = await catalog.api('POST', '/v1/files/', description(bytes, { version: '1' }, 20));
    expect(created.status).toBe(201);
    const { upload: begun, ...file } = created.body;
    expect(file).toEqual({
      id: expect.any(String),
      organization_id: catalog.organization.id,
      name: 'notes.txt',
      path: `downloadable/${catalog.organization.id}/${file.id}/notes.txt`,
      mime_type: 'text/plain',
      size: 43,
      storage_version: null,
      checksum_etag: null,
      checksum_sha256_base64: sha256(bytes),
      checksum_sha256_hex: hash('sha256', bytes, 'hex'),
      last_modified_at: null,
      version: '1',
      is_uploaded: false,
      service: 'downloadable',
      size_readable: '43 B',
    });
    expect(begun.parts).toEqual([
      expect.objectContaining({
        number: 1,
        chunk_start: 0,
        chunk_end: 20,
        expires_at: '2026-01-15T13:00:00.000Z',
      }),
      expect.objectContaining({ number: 2, chunk_start: 20, chunk_end: 43, headers: {} }),
    ]);
    const list = () => catalog.api('GET', `/v1/files/?ids=${file.id}`);
    expect((await list()).body.items).toEqual([]);
    const completed = await send(begun, bytes);
    const { status, body } = await catalog.api('POST', `/v1/files/${file.id}/uploaded`, completed);
    expect(status).toBe(200);
    expect(body).toEqual({
      ...file,
      created_at: '2026-01-15T12:00:00.000Z',
      is_uploaded: true,
      checksum_etag: hash('sha256', bytes, 'hex'),
      last_modified_at: '2026-01-15T12:00:00.000Z',
      flagged_malicious_at: null,
    });
    expect((await list()).body.items).toEqual([body]);
    expect((await catalog.api('POST', `/v1/files/${file.id}/uploaded`, completed)).body).toEqual(body);
    expect((await put(begun.parts[0].url, bytes)).status).toBe(404);
  });

  test('completed by several calls at once is one file', async () => {
    const file = await catalog.make('/v1/files/', description(bytes, {}, 9));
    const completed = await send(file.upload, bytes);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => catalog.api('POST', `/v1/files/${file.id}/uploaded`, completed)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200]);
  });

  test('is refused when a part is missing, unlike what is said of it, or not listed', async () => {
    const file = await catalog.make('/v1/files/', description(bytes, {}, 20));
    const complete = (given: object) => catalog.api('POST', `/v1/files/${file.id}/uploaded`, given);
    const all = await send({ ...file.upload, parts: file.upload.parts.slice(0, 1) }, bytes);
    const unsent = { number: 2, checksum_etag: 'x', checksum_sha256_base64: null };
    expect(locOf(await complete({ ...all, parts: [...all.parts, unsent] }))).toEqual([422, 'body.parts.1']);
    expect(locOf(await complete(all))).toEqual([422, 'body.parts']);
    await put(file.upload.parts[1].url, bytes.subarray(20));
    expect(locOf(await complete({ ...all, parts: [...all.parts, unsent] }))).toEqual([422, 'body.parts.1']);
    expect(locOf(await complete({ ...all, id: 'other' }))).toEqual([422, 'body.id']);
    expect(locOf(await complete({ ...all, path: 'other' }))).toEqual([422, 'body.path']);
    expect(locOf(await complete({}))).toEqual([422, 'body.id']);
  });

  test('is refused when it is not the file that was announced', async () => {
    const other = await catalog.make(
      '/v1/files/',
      description(bytes, { checksum_sha256_base64: sha256(Buffer.from('other')) }),
    );
    const wrong = await catalog.api(
      'POST',
      `/v1/files/${other.id}/uploaded`,
      await send(other.upload, bytes),
    );
    expect(locOf(wrong)).toEqual([422, 'body.parts']);
    const longer = await catalog.make('/v1/files/', description(bytes));
    const short = await send(longer.upload, bytes.subarray(0, 10));
    expect(locOf(await catalog.api('POST', `/v1/files/${longer.id}/uploaded`, short))).toEqual([
      422,
      'body.parts',
    ]);
  });

  test('takes no part beyond its size, none with another checksum, and none after an hour', async () => {
    const parts = [
      { number: 1, chunk_start: 0, chunk_end: bytes.length, checksum_sha256_base64: sha256(bytes) },
    ];
    const file = await catalog.make('/v1/files/', description(bytes, { upload: { parts } }));
    const { url } = file.upload.parts[0];
    expect((await put(url, Buffer.alloc(bytes.length + 2))).status).toBe(413);
    expect((await put(url, Buffer.from('something else'))).status).toBe(422);
    expect((await put(`${url}x`, bytes)).status).toBe(404);
    expect((await put('/v1/storage/uploads/nonsense', bytes)).status).toBe(404);
    catalog.clock.advance({ hours: 1 });
    const late = await put(url, bytes);
    expect([late.status, late.body.error]).toEqual([410, 'ResourceUnavailable']);
  });

  test('that breaks off can be sent again', async () => {
    const file = await catalog.make('/v1/files/', description(bytes));
    const { url } = file.upload.parts[0];
    await expect(
      catalog.request('PUT', pathOf(url), { raw: bytes.subarray(0, 5), headers: { 'content-length': '43' } }),
    ).rejects.toThrow();
    const completed = await send(file.upload, bytes);
    expect((await catalog.api('POST', `/v1/files/${file.id}/uploaded`, completed)).status).toBe(200);
  });

  test.each<[string, object, string]>([
    ['an unknown service', { service: 'attic' }, 'body.service'],
    ['no name', { name: '' }, 'body.name'],
    ['a header in the type', { mime_type: 'text/plain\r\nx: y' }, 'body.mime_type'],
    ['a negative size', { size: -1 }, 'body.size'],
    ['a size beyond 2 GiB', { size: 2 ** 31 }, 'body.size'],
    ['media that is no image', { service: 'product_media' }, 'body.mime_type'],
    ['a large image', { service: 'product_media', mime_type: 'image/png', size: 10_485_761 }, 'body.size'],
    [
      'a large avatar',
      { service: 'organization_avatar', mime_type: 'image/png', size: 1_048_577 },
      'body.size',
    ],
    [
      'a program as attachment',
      { service: 'support_case_attachment', mime_type: 'application/x-sh' },
      'body.mime_type',
    ],
    [
      'parts that do not cover it',
      { upload: { parts: [{ number: 1, chunk_start: 0, chunk_end: 5 }] } },
      'body.upload.parts.0.chunk_end',
    ],
    [
      'part 0',
      { upload: { parts: [{ number: 0, chunk_start: 0, chunk_end: 43 }] } },
      'body.upload.parts.0.number',
    ],
    ['no parts', { upload: {} }, 'body.upload.parts'],
    ['a malformed checksum', { checksum_sha256_base64: 'abc' }, 'body.checksum_sha256_base64'],
  ])('refuses %s', async (_name, given, loc) => {
    expect(locOf(await catalog.api('POST', '/v1/files/', { ...description(bytes), ...given }))).toEqual([
      422,
      loc,
    ]);
  });
});

describe('a file', () => {
  test('gets a new name and version; empty ones change nothing', async () => {
    const file = await upload(Buffer.from('a'));
    const path = `/v1/files/${file.id}`;
    const { status, body } = await catalog.api('PATCH', path, { name: 'b.txt', version: '2' });
    expect([status, body]).toEqual([200, { ...file, name: 'b.txt', version: '2' }]);
    expect((await catalog.api('PATCH', path, { name: '', version: null })).body).toEqual(body);
    expect((await catalog.api('PATCH', path, { name: 5 })).status).toBe(422);
  });

  test('is gone once deleted, and its bytes with it', async () => {
    const file = await upload(Buffer.from('a'));
    const answer = await catalog.api('DELETE', `/v1/files/${file.id}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect((await catalog.api('DELETE', `/v1/files/${file.id}`)).status).toBe(404);
    expect((await catalog.api('GET', `/v1/files/?ids=${file.id}`)).body.items).toEqual([]);
    await catalog.settle();
    await expect(
      catalog.app.storage.open({ ...file, upload_id: null }, new Date(), 'inline'),
    ).rejects.toThrow('File not found');
  });

  test('of another organization does not exist', async () => {
    const file = await upload(Buffer.from('a'));
    const as = organizationToken(newId());
    const complete = { id: 'x', path: 'x', parts: [] };
    const answers = [
      await catalog.api('PATCH', `/v1/files/${file.id}`, { name: 'x' }, { as }),
      await catalog.api('DELETE', `/v1/files/${file.id}`, undefined, { as }),
      await catalog.api('POST', `/v1/files/${file.id}/uploaded`, complete, { as }),
    ];
    expect(answers.map((answer) => [answer.status, answer.body.error])).toEqual(
      Array(3).fill([404, 'ResourceNotFound']),
    );
    const { body } = await catalog.api(
      'GET',
      `/v1/files/?organization_id=${catalog.organization.id}`,
      undefined,
      { as },
    );
    expect(body.items).toEqual([]);
  });

  test('is not changed by a user whose role only reads', async () => {
    const { id } = await upload(Buffer.from('kept'));
    const as = readerOf(catalog.organization.id);
    for (const [method, body] of [['PATCH', { name: 'mine.txt' }], ['DELETE']] as const) {
      const answer = await catalog.api(method, `/v1/files/${id}`, body, { as });
      expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    }
    const { body } = await catalog.api('GET', `/v1/files/?ids=${id}`, undefined, { as });
    expect(body.items).toMatchObject([{ id, name: 'notes.txt' }]);
  });

  test('sent to support is neither listed nor changed', async () => {
    const file = await upload(Buffer.from('a'), { service: 'support_case_attachment' });
    const answers = [
      await catalog.api('PATCH', `/v1/files/${file.id}`, { name: 'x' }),
      await catalog.api('DELETE', `/v1/files/${file.id}`),
    ];
    expect(answers.map((answer) => [answer.status, answer.body.error])).toEqual(
      Array(2).fill([403, 'NotPermitted']),
    );
    expect((await catalog.api('GET', `/v1/files/?ids=${file.id}`)).body.items).toEqual([]);
  });

  test('nobody finished uploading is forgotten after a day', async () => {
    const file = await catalog.make('/v1/files/', description(Buffer.from('a')));
    catalog.clock.advance({ days: 1, seconds: 1 });
    await catalog.settle();
    expect((await catalog.api('PATCH', `/v1/files/${file.id}`, { name: 'x' })).status).toBe(404);
  });

  test('is listed newest first', async () => {
    const [a, b] = [await upload(Buffer.from('a')), await upload(Buffer.from('b'))];
    const { body } = await catalog.api('GET', `/v1/files/?ids=${a.id}&ids=${b.id}`);
    expect(body.items.map((item: { id: string }) => item.id)).toEqual([b.id, a.id]);
    expect((await catalog.api('GET', '/v1/files/?ids=x')).status).toBe(422);
  });
});

describe('media', () => {
  test('is public, shown by products, and cannot run', async () => {
    const bytes = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
    const media = await upload(bytes, {
      service: 'product_media',
      name: 'lo go.svg',
      mime_type: 'image/svg+xml',
    });
    expect(media.public_url).toBe(`https://shop.test/v1/storage/public/${media.id}/lo%20go.svg`);
    const product = await catalog.product({ medias: [media.id] });
    expect(product.medias).toEqual([media]);
    const { status, headers, body } = await catalog.request('GET', pathOf(media.public_url));
    expect([status, body]).toEqual([200, bytes.toString()]);
    expect(headers.get('content-type')).toBe('image/svg+xml');
    expect(headers.get('content-security-policy')).toMatch(/sandbox/);
    expect(headers.get('content-disposition')).toBe("inline; filename*=UTF-8''lo%20go.svg");
    await catalog.api('DELETE', `/v1/files/${media.id}`);
    await catalog.settle();
    expect((await catalog.told('products.changed', product.id)).at(-1).medias).toEqual([]);
    expect((await catalog.request('GET', pathOf(media.public_url))).status).toBe(404);
    const again = await catalog.api('PATCH', `/v1/products/${product.id}`, { medias: [media.id] });
    expect(locOf(again)).toEqual([422, 'body.medias.0']);
  });

  test('of a downloadable file there is none', async () => {
    const file = await upload(Buffer.from('secret'));
    expect((await catalog.request('GET', `/v1/storage/public/${file.id}/notes.txt`)).status).toBe(404);
    expect((await catalog.request('GET', `/v1/storage/public/${newId()}/x`)).status).toBe(404);
    const answer = await catalog.api('POST', '/v1/products/', {
      name: 'Book',
      prices: [{ amount_type: 'fixed', price_amount: 100 }],
      medias: [file.id],
    });
    expect(locOf(answer)).toEqual([422, 'body.medias.0']);
  });
});

describe('downloadables', () => {
  const bytes = Buffer.from('A fine book.');
  async function bought(files: { id: string }[], archived: Record<string, boolean> = {}) {
    const benefit = await catalog.benefit('downloadables', { files: files.map(({ id }) => id), archived });
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customer = catalog.customer();
    await catalog.buy(product.id, customer.id);
    const as = customerSession(catalog.organization.id, customer.id);
    const list = async (query = '') =>
      (await catalog.api('GET', `/v1/customer-portal/downloadables/?${query}`, undefined, { as })).body;
    return { benefit, customer, list };
  }

  test('give the customer a link that counts', async () => {
    const [book, old] = [await upload(bytes, { name: 'buch "ä".txt' }), await upload(bytes)];
    const { benefit, customer, list } = await bought([book, old], { [old.id]: true });
    const { items, pagination } = await list();
    expect(pagination.total_count).toBe(1);
    const until = new Date(catalog.clock.now().getTime() + 3_600_000).toISOString();
    const { created_at, flagged_malicious_at, ...file } = book;
    expect(items).toEqual([
      {
        id: expect.any(String),
        benefit_id: benefit.id,
        file: { ...file, download: { url: expect.any(String), headers: {}, expires_at: until } },
      },
    ]);
    expect([created_at, flagged_malicious_at]).toEqual([expect.any(String), null]);
    const { status, headers, body } = await catalog.request('GET', pathOf(items[0].file.download.url));
    expect([status, body]).toEqual([200, bytes.toString()]);
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''buch%20%22%C3%A4%22.txt");
    expect(headers.get('content-length')).toBe(String(bytes.length));
    const files = (await catalog.api('GET', `/v1/benefits/${benefit.id}/files`)).body;
    expect(files.items).toMatchObject([
      { id: book.id, downloads: 1, downloaders: 1 },
      { id: old.id, downloads: 0, downloaders: 0 },
    ]);
    expect(files.items[0]).toEqual({ ...book, downloads: 1, downloaders: 1 });
    expect(await list(`benefit_id=${newId()}`)).toMatchObject({ items: [] });
    const member = memberSession(catalog.organization.id, customer.id, newId());
    const answer = await catalog.api('GET', '/v1/customer-portal/downloadables/', undefined, { as: member });
    expect(answer.body.items).toEqual([]);
  });

  test('follow the files of the benefit', async () => {
    const [first, second] = [await upload(bytes), await upload(bytes)];
    const { benefit, list, customer } = await bought([first]);
    await catalog.api('PATCH', `/v1/benefits/${benefit.id}`, {
      type: 'downloadables',
      properties: { files: [first.id, second.id], archived: { [first.id]: true } },
    });
    await catalog.settle();
    expect((await list()).items.map((item: { file: { id: string } }) => item.file.id)).toEqual([second.id]);
    const grants = () => catalog.api('GET', `/v1/benefit-grants/?customer_id=${customer.id}`);
    expect((await grants()).body.items[0].properties).toEqual({ files: [second.id] });
    await catalog.api('DELETE', `/v1/files/${second.id}`);
    await catalog.settle();
    expect((await list()).items).toEqual([]);
    expect((await grants()).body.items[0].properties).toEqual({ files: [] });
    expect((await catalog.api('GET', `/v1/benefits/${benefit.id}`)).body.properties).toEqual({
      files: [first.id],
      archived: { [first.id]: true },
    });
  });

  test('end with the link, with the grant, and with trust in the file', async () => {
    const file = await upload(bytes);
    const { benefit, list } = await bought([file]);
    const { url } = (await list()).items[0].file.download;
    const fetchIt = async (address = url) => (await catalog.request('GET', pathOf(address))).status;
    expect(await fetchIt()).toBe(200);
    expect(await fetchIt(`${url.slice(0, -2)}AA`)).toBe(404);
    expect(await fetchIt('/v1/storage/downloads/nonsense')).toBe(404);
    await catalog.app.db.query('update files set flagged_malicious_at = now() where id = $1', [file.id]);
    expect(await fetchIt()).toBe(410);
    await catalog.app.db.query('update files set flagged_malicious_at = null where id = $1', [file.id]);
    await catalog.api('DELETE', `/v1/benefits/${benefit.id}`);
    await catalog.settle();
    expect(await fetchIt()).toBe(404);
    catalog.clock.advance({ hours: 1 });
    expect(await fetchIt()).toBe(410);
  });

  test('a member session cannot upload', async () => {
    const as = memberSession(catalog.organization.id, newId(), newId());
    expect((await catalog.api('POST', '/v1/files/', description(bytes), { as })).status).toBe(401);
  });
});
