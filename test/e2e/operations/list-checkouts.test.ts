import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectBothFilters,
  expectFields,
  expectFilter,
  expectIdFilter,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectSorting,
  expectSortingBySeveral,
  listAll,
} from './expectations.ts';
import {
  addressFields,
  attachedFieldFields,
  checkoutFields,
  customFieldFields,
  embeddedBenefitFields,
  priceFields,
  productFields,
  textFieldProperties,
} from './fields.ts';
import { address, buy, makeBenefit, makeCustomer, makeProduct, uploadFile } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/checkouts/';
let platform: TestPlatform;
let product: Json;
let other: Json;
let customer: Json;
let bought: Json;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  const field = expectStatus(
    await merchant.post('/v1/custom-fields/', {
      type: 'text',
      slug: 'nickname',
      name: 'Nickname',
      properties: {
        form_label: 'Nickname',
        form_help_text: 'What friends say',
        form_placeholder: 'Ada',
        textarea: false,
        min_length: 1,
        max_length: 40,
      },
    }),
    201,
  );
  const image = await uploadFile(merchant, {
    service: 'product_media',
    name: 'box.png',
    mime_type: 'image/png',
  });
  const benefit = await makeBenefit(merchant);
  const shown = {
    medias: [image.id],
    attached_custom_fields: [{ custom_field_id: field.id, required: false }],
  };
  product = await makeProduct(merchant, shown, [benefit.id]);
  other = await makeProduct(merchant);
  customer = await makeCustomer(merchant, { email: 'grace@hopper.example', external_id: 'grace-1' });
  bought = await buy(merchant, product, {
    customer_email: 'ada_lovelace@example.com',
    custom_field_data: { nickname: 'Countess' },
  });
  for (const body of [
    { products: [product.id], customer_id: customer.id },
    { products: [other.id], customer_id: customer.id },
    { products: [other.id], external_customer_id: 'nobody-yet', customer_email: 'mary@example.com' },
    { products: [other.id, product.id], external_customer_id: 'nobody-else' },
  ])
    expectStatus(await merchant.post(PATH, body), 201);
}, 120_000);
afterAll(() => platform?.stop());

test('every field is there, with the product, its prices, benefits, medias and custom fields', async () => {
  const [checkout] = await listAll(platform.merchant, `${PATH}?status=succeeded`);
  expectFields(checkout, checkoutFields);
  expectFields(checkout.customer_billing_address, addressFields);
  expectFields(checkout.billing_address_fields, addressFields);
  expectFields(checkout.product_price, priceFields);
  for (const shown of [checkout.product, checkout.products[0]]) {
    expectFields(
      shown,
      productFields.filter((field) => field !== 'metadata'),
    );
    expectFields(shown.prices[0], priceFields);
    expectFields(shown.benefits[0], embeddedBenefitFields);
    expectFields(shown.medias[0], ['id', 'public_url', 'size_readable', 'service']);
  }
  expect(Object.keys(checkout.prices)).toEqual([product.id]);
  const [attached] = checkout.attached_custom_fields;
  expectFields(attached, attachedFieldFields);
  expectFields(attached.custom_field, customFieldFields);
  expectFields(attached.custom_field.properties, textFieldProperties);
  expect(checkout).toMatchObject({
    customer_email: 'ada_lovelace@example.com',
    customer_billing_address: address,
    custom_field_data: { nickname: 'Countess' },
    organization_id: platform.organizationId,
    product_id: product.id,
    amount: 1_000,
    currency: 'usd',
    customer_id: bought.customer.id,
  });
  expect(checkout).toEqual(expectStatus(await platform.merchant.get(`${PATH}${checkout.id}`), 200));
});

test('is paged, the newest first unless sorted otherwise', async () => {
  await expectPaging(platform.merchant, PATH);
  const created = (await listAll(platform.merchant, PATH)).map((item) => item.created_at);
  expect(created).toEqual(created.toSorted().toReversed());
});

test('is sorted by created_at, expires_at and status, both ways', async () => {
  await expectSorting(platform.merchant, PATH, {
    created_at: (item) => item.created_at,
    expires_at: (item) => item.expires_at,
    status: (item) => item.status,
  });
  await expectSortingBySeveral(
    platform.merchant,
    PATH,
    ['status', 'created_at'],
    [(item) => item.status, (item) => item.created_at],
  );
});

describe('is filtered', () => {
  test('by product_id', () =>
    expectIdFilter(
      platform.merchant,
      PATH,
      'product_id',
      [product.id, other.id],
      (item, id) => item.product_id === id,
    ));

  test('by customer_id', () =>
    expectIdFilter(
      platform.merchant,
      PATH,
      'customer_id',
      [customer.id, bought.customer.id],
      (item, id) => item.customer_id === id,
    ));

  test('by external_customer_id, of a customer and of one that is yet to come', async () => {
    await expectFilter(
      platform.merchant,
      PATH,
      'external_customer_id',
      ['grace-1', 'nobody-yet'],
      (item, id) =>
        item.external_customer_id === id || (id === 'grace-1' && item.customer_id === customer.id),
    );
    expect(await listAll(platform.merchant, `${PATH}?external_customer_id=none`)).toEqual([]);
  });

  test('by status', async () => {
    await expectFilter(
      platform.merchant,
      PATH,
      'status',
      ['open', 'succeeded'],
      (item, status) => item.status === status,
    );
    for (const status of ['expired', 'confirmed', 'failed'])
      expect(await listAll(platform.merchant, `${PATH}?status=${status}`)).toEqual([]);
    expectInvalid(await platform.merchant.get(`${PATH}?status=paid`), ['query', 'status']);
  });

  test('by part of the customer’s e-mail, in any case; wildcards are text', async () => {
    const emails = async (query: string) =>
      (await listAll(platform.merchant, `${PATH}?query=${query}`)).map((item) => item.customer_email);
    expect(await emails('HOPPER')).toEqual(['grace@hopper.example', 'grace@hopper.example']);
    expect(await emails('ada_love')).toEqual(['ada_lovelace@example.com']);
    expect(await emails('adaxlove')).toEqual([]);
    expect(await emails('a%25e')).toEqual([]);
  });

  test('by organization_id, within what the caller reaches', async () => {
    const own = await listAll(platform.merchant, PATH);
    const { merchant, organizationId } = platform;
    for (const id of [organizationId, organizationId.toUpperCase()])
      expect(await listAll(merchant, `${PATH}?organization_id=${id}`)).toEqual(own);
    const stranger = merchant.as(await platform.strangerToken());
    expect(await listAll(stranger, PATH)).toEqual([]);
    expect(await listAll(stranger, `${PATH}?organization_id=${organizationId}`)).toEqual([]);
    expectInvalid(await merchant.get(`${PATH}?organization_id=x`), ['query', 'organization_id']);
  });

  test('by several filters, which must all hold', () =>
    expectBothFilters(platform.merchant, PATH, [`product_id=${other.id}`, `customer_id=${customer.id}`]));
});

test(
  'takes every merchant scheme with checkouts:read or checkouts:write',
  () =>
    expectMerchantAccess(platform, { granting: ['checkouts:read', 'checkouts:write'], success: 200 }, (api) =>
      api.get(PATH),
    ),
  60_000,
);
