import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectBothFilters,
  expectFields,
  expectIdFilter,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectProblem,
  listAll,
} from './expectations.ts';
import { fileFields } from './fields.ts';
import {
  beginUpload,
  buy,
  grantsOf,
  makeBenefit,
  makeOrganization,
  makeProduct,
  sessionOf,
  uploadFile,
} from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/files/';
const image = { service: 'product_media', name: 'box.png', mime_type: 'image/png' };
let platform: TestPlatform;
let downloadable: Json;
let media: Json;
let avatar: Json;
let attachment: Json;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  downloadable = await uploadFile(merchant, { version: '1.0' });
  media = await uploadFile(merchant, image);
  avatar = await uploadFile(merchant, { ...image, service: 'organization_avatar', name: 'face.png' });
  attachment = await uploadFile(merchant, { service: 'support_case_attachment', name: 'log.txt' });
  await uploadFile(merchant, { name: 'more.txt' });
}, 120_000);
afterAll(() => platform?.stop());

describe('the list of files', () => {
  test('has every field of each variant', async () => {
    const byId = new Map((await listAll(platform.merchant, PATH)).map((file) => [file.id, file]));
    for (const file of byId.values()) expectFields(file, fileFields);
    expectFields(byId.get(downloadable.id), ['flagged_malicious_at']);
    expectFields(byId.get(media.id), ['public_url']);
    expectFields(byId.get(avatar.id), ['public_url']);
    expect(byId.get(downloadable.id)).toMatchObject({
      name: 'notes.txt',
      mime_type: 'text/plain',
      size_readable: `${downloadable.size} B`,
      version: '1.0',
      service: 'downloadable',
      is_uploaded: true,
      organization_id: platform.organizationId,
      flagged_malicious_at: null,
    });
    expect(byId.get(downloadable.id)).not.toHaveProperty('public_url');
    expect((await fetch(byId.get(media.id).public_url)).status).toBe(200);
  });

  test('leaves out what is not uploaded yet and what was sent to support', async () => {
    const begun = await beginUpload(platform.merchant, 5, null);
    const ids = (await listAll(platform.merchant, PATH)).map(({ id }) => id);
    expect(ids).not.toContain(begun.id);
    expect(ids).not.toContain(attachment.id);
    expect(await listAll(platform.merchant, `${PATH}?ids=${begun.id}&ids=${attachment.id}`)).toEqual([]);
  });

  test('is paged, the newest first', async () => {
    await expectPaging(platform.merchant, PATH);
    const created = (await listAll(platform.merchant, PATH)).map((file) => file.created_at);
    expect(created).toEqual(created.toSorted().toReversed());
  });

  test('is filtered by ids', () =>
    expectIdFilter(
      platform.merchant,
      PATH,
      'ids',
      [downloadable.id, media.id],
      (file, id) => file.id === id,
    ));

  test('is filtered by organization_id, within what the caller reaches', async () => {
    const { merchant, organizationId } = platform;
    const own = await listAll(merchant, PATH);
    for (const id of [organizationId, organizationId.toUpperCase()])
      expect(await listAll(merchant, `${PATH}?organization_id=${id}`)).toEqual(own);
    const stranger = merchant.as(await platform.strangerToken());
    expect(await listAll(stranger, `${PATH}?organization_id=${organizationId}`)).toEqual([]);
    expect(await listAll(stranger, `${PATH}?ids=${downloadable.id}`)).toEqual([]);
    expectInvalid(await merchant.get(`${PATH}?organization_id=x`), ['query', 'organization_id']);
    const owner = merchant.as(platform.personalToken);
    const other = await makeOrganization(owner);
    await uploadFile(owner, { organization_id: other.id });
    await expectBothFilters(owner, PATH, [
      `organization_id=${organizationId}`,
      `ids=${downloadable.id}&ids=${(await listAll(owner, `${PATH}?organization_id=${other.id}`))[0].id}`,
    ]);
  });

  test(
    'takes every merchant scheme with files:read or files:write',
    () =>
      expectMerchantAccess(platform, { granting: ['files:read', 'files:write'], success: 200 }, (api) =>
        api.get(PATH),
      ),
    60_000,
  );
});

describe('updating a file', () => {
  test('changes name and version, each by itself, and answers with the file', async () => {
    const { merchant } = platform;
    const file = await uploadFile(merchant, { version: '1.0' });
    const renamed = expectStatus(await merchant.patch(PATH + file.id, { name: 'guide.txt' }), 200);
    expectFields(renamed, [...fileFields, 'flagged_malicious_at']);
    expect(renamed).toEqual({ ...file, name: 'guide.txt' });
    const versioned = expectStatus(await merchant.patch(PATH + file.id, { version: '2.0' }), 200);
    expect(versioned).toEqual({ ...file, name: 'guide.txt', version: '2.0' });
    for (const body of [{}, { name: null, version: null }, { name: '', version: '' }])
      expect(expectStatus(await merchant.patch(PATH + file.id, body), 200)).toEqual(versioned);
    expect(await listAll(merchant, `${PATH}?ids=${file.id}`)).toEqual([versioned]);
  });

  test('refuses wrong types, and texts that are too long', async () => {
    for (const [name, value] of [
      ['name', 7],
      ['version', true],
      ['name', 'x'.repeat(256)],
    ] as const)
      expectInvalid(await platform.merchant.patch(PATH + downloadable.id, { [name]: value }), ['body', name]);
    expectInvalid(await platform.merchant.patch(`${PATH}nonsense`, {}), ['path', 'id']);
  });

  test('of another organization or of nobody is a 404, of support a 403', async () => {
    const stranger = platform.merchant.as(await platform.strangerToken());
    expectProblem(await stranger.patch(PATH + downloadable.id, { name: 'x' }), 404, 'ResourceNotFound');
    expectProblem(await platform.merchant.patch(PATH + newId(), {}), 404, 'ResourceNotFound');
    expectProblem(await platform.merchant.patch(PATH + attachment.id, { name: 'x' }), 403, 'NotPermitted');
  });

  test(
    'takes every merchant scheme with files:write, and files:read does not write',
    () =>
      expectMerchantAccess(platform, { granting: ['files:write'], success: 200 }, (api) =>
        api.patch(PATH + downloadable.id, { version: '3' }),
      ),
    60_000,
  );
});

describe('deleting a file', () => {
  test('takes it from lists, from the medias of products and from their checkouts', async () => {
    const { merchant } = platform;
    const kept = await uploadFile(merchant, image);
    const gone = await uploadFile(merchant, image);
    const product = await makeProduct(merchant, { medias: [gone.id, kept.id] });
    const checkout = expectStatus(await merchant.post('/v1/checkouts/', { products: [product.id] }), 201);
    expect(checkout.product.medias).toHaveLength(2);
    const answer = await merchant.delete(PATH + gone.id);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    expect(await listAll(merchant, `${PATH}?ids=${gone.id}`)).toEqual([]);
    const { medias } = expectStatus(await merchant.get(`/v1/products/${product.id}`), 200);
    expect(medias.map(({ id }: Json) => id)).toEqual([kept.id]);
    await eventually(async () => {
      const shown = expectStatus(await merchant.get(`/v1/checkouts/${checkout.id}`), 200);
      expect(shown.product.medias.map(({ id }: Json) => id)).toEqual([kept.id]);
    });
    expectProblem(await merchant.delete(PATH + gone.id), 404, 'ResourceNotFound');
    expectProblem(await merchant.patch(PATH + gone.id, { name: 'x' }), 404, 'ResourceNotFound');
  });

  test('takes it from downloadables benefits and from the customers who have them', async () => {
    const { merchant } = platform;
    const kept = await uploadFile(merchant);
    const gone = await uploadFile(merchant);
    const benefit = await makeBenefit(merchant, {
      type: 'downloadables',
      description: 'The files',
      properties: { files: [gone.id, kept.id], archived: {} },
    });
    const product = await makeProduct(merchant, {}, [benefit.id]);
    const { customer } = await buy(merchant, product);
    await grantsOf(merchant, customer.id, 1);
    const [member] = expectStatus(await merchant.get(`/v1/members/?customer_id=${customer.id}`), 200).items;
    const portal = merchant.as(await sessionOf(merchant, customer.id, member?.id));
    const files = async () =>
      expectStatus(await portal.get('/v1/customer-portal/downloadables/'), 200).items.map(
        ({ file }: Json) => file.id,
      );
    await eventually(async () => expect((await files()).toSorted()).toEqual([gone.id, kept.id].toSorted()));
    expectStatus(await merchant.delete(PATH + gone.id), 204);
    await eventually(async () => expect(await files()).toEqual([kept.id]));
    const { properties } = expectStatus(await merchant.get(`/v1/benefits/${benefit.id}`), 200);
    expect(properties.files).toEqual([kept.id]);
    await eventually(async () => {
      const [grant] = await grantsOf(merchant, customer.id, 1);
      expect(grant).toMatchObject({ is_granted: true, properties: { files: [kept.id] } });
    });
  });

  test('of another organization or of nobody is a 404, of support a 403, of no id a 422', async () => {
    const stranger = platform.merchant.as(await platform.strangerToken());
    expectProblem(await stranger.delete(PATH + downloadable.id), 404, 'ResourceNotFound');
    expectProblem(await platform.merchant.delete(PATH + newId()), 404, 'ResourceNotFound');
    expectProblem(await platform.merchant.delete(PATH + attachment.id), 403, 'NotPermitted');
    expectInvalid(await platform.merchant.delete(`${PATH}nonsense`), ['path', 'id']);
  });

  test(
    'takes every merchant scheme with files:write, and files:read does not delete',
    () =>
      expectMerchantAccess(platform, { granting: ['files:write'], success: 204 }, async (api) => {
        const file = await uploadFile(platform.merchant);
        return api.delete(PATH + file.id);
      }),
    60_000,
  );
});
