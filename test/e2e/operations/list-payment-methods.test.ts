import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectFields, expectMerchantAccess, expectPaging, expectProblem, listAll } from './expectations.ts';
import { cardFields, paymentMethodFields } from './fields.ts';
import { makeCustomer, makeOrganization, sessionOf } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const EXTERNAL_ID = 'käufer/1 ü';
const path = (externalId: string) =>
  `/v1/customers/external/${encodeURIComponent(externalId)}/payment-methods`;
let platform: TestPlatform;
let customer: Json;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  customer = await makeCustomer(merchant, { external_id: EXTERNAL_ID });
  const portal = merchant.as(await sessionOf(merchant, customer.id));
  for (const [confirmation_token_id, set_default] of [
    ['tok_visa', true],
    ['tok_fails_later', false],
    ['tok_disputed', false],
    ['tok_visa', false],
  ])
    expectStatus(
      await portal.post('/v1/customer-portal/customers/me/payment-methods', {
        confirmation_token_id,
        set_default,
        return_url: 'https://merchant.test/back',
      }),
      201,
    );
}, 120_000);
afterAll(() => platform?.stop());

test('every field is there, with the card', async () => {
  const methods = await listAll(platform.merchant, path(EXTERNAL_ID));
  for (const method of methods) {
    expectFields(method, paymentMethodFields);
    expectFields(method.method_metadata, cardFields);
    expect(method).toMatchObject({
      customer_id: customer.id,
      type: 'card',
      processor: 'stripe',
      method_metadata: { brand: 'visa', exp_month: 12, exp_year: 2034, wallet: null },
    });
  }
  expect(methods.map((method) => [method.method_metadata.last4, method.is_default])).toEqual([
    ['4242', false],
    ['0259', false],
    ['0341', false],
    ['4242', true],
  ]);
  expect(methods).toEqual(await listAll(platform.merchant, `/v1/customers/${customer.id}/payment-methods`));
});

test('is paged, the newest first', async () => {
  await expectPaging(platform.merchant, path(EXTERNAL_ID));
  const created = (await listAll(platform.merchant, path(EXTERNAL_ID))).map((method) => method.created_at);
  expect(created).toEqual(created.toSorted().toReversed());
});

test('of a customer without any is empty', async () => {
  await makeCustomer(platform.merchant, { external_id: 'no-cards' });
  expect(expectStatus(await platform.merchant.get(path('no-cards')), 200)).toEqual({
    items: [],
    pagination: { total_count: 0, max_page: 0 },
  });
});

test('of an external id that is nobody’s, another organization’s or a deleted customer’s is a 404', async () => {
  const { merchant } = platform;
  expectProblem(await merchant.get(path('nobody')), 404, 'ResourceNotFound');
  const stranger = merchant.as(await platform.strangerToken());
  expectProblem(await stranger.get(path(EXTERNAL_ID)), 404, 'ResourceNotFound');
  await makeCustomer(merchant, { external_id: 'leaving' });
  expectStatus(await merchant.delete('/v1/customers/external/leaving'), 204);
  expectProblem(await merchant.get(path('leaving')), 404, 'ResourceNotFound');
});

test('of an external id that customers of two reached organizations have is a 409, of one of them a 200', async () => {
  const { merchant, personalToken } = platform;
  const owner = merchant.as(personalToken);
  const { id: organization_id } = await makeOrganization(owner);
  await makeCustomer(merchant, { external_id: 'twin' });
  expectStatus(await owner.get(path('twin')), 200);
  await makeCustomer(owner, { external_id: 'twin', organization_id });
  expectProblem(await owner.get(path('twin')), 409, 'AmbiguousExternalCustomerID');
  expectStatus(await merchant.get(path('twin')), 200);
});

test(
  'takes every merchant scheme with customers:read or customers:write',
  () =>
    expectMerchantAccess(platform, { granting: ['customers:read', 'customers:write'], success: 200 }, (api) =>
      api.get(path(EXTERNAL_ID)),
    ),
  60_000,
);
