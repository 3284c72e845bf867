import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../story/webhook-receiver.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectInvalid, expectMerchantAccess, expectProblem, listAll } from './expectations.ts';
import { makeCustomer } from './fixtures.ts';

const PATH = '/v1/webhooks/endpoints';
let platform: TestPlatform;
let gone: WebhookReceiver;
let kept: WebhookReceiver;

beforeAll(async () => {
  [platform, gone, kept] = await Promise.all([
    startTestPlatform(),
    startWebhookReceiver(),
    startWebhookReceiver(),
  ]);
}, 120_000);
afterAll(async () => {
  await platform?.stop();
  await Promise.all([gone?.stop(), kept?.stop()]);
});

const makeEndpoint = async (receiver: WebhookReceiver) => {
  const endpoint = expectStatus(
    await platform.merchant.post(PATH, {
      url: receiver.url,
      format: 'raw',
      events: ['customer.created'],
    }),
    201,
  );
  receiver.trust(endpoint.secret);
  return endpoint;
};

test('it answers 204 without a body, and the endpoint hears nothing any more', async () => {
  const { merchant } = platform;
  const [{ id }] = [await makeEndpoint(gone), await makeEndpoint(kept)];
  await makeCustomer(merchant);
  await eventually(async () => expect([gone.received.length, kept.received.length]).toEqual([1, 1]));
  const answer = await merchant.delete(`${PATH}/${id}`);
  expect([answer.status, answer.body]).toEqual([204, undefined]);
  expectProblem(await merchant.get(`${PATH}/${id}`), 404, 'ResourceNotFound');
  expectProblem(await merchant.patch(`${PATH}/${id}`, { enabled: true }), 404, 'ResourceNotFound');
  expectProblem(await merchant.delete(`${PATH}/${id}`), 404, 'ResourceNotFound');
  expect((await listAll(merchant, PATH)).map((endpoint) => endpoint.id)).not.toContain(id);
  const { id: last } = await makeCustomer(merchant);
  await eventually(async () => expect(kept.received.map(({ data }) => data.id)).toContain(last));
  expect(gone.received).toHaveLength(1);
});

test('of another organization or of nobody is a 404, of no id a 422', async () => {
  const { merchant } = platform;
  const { id } = await makeEndpoint(kept);
  const stranger = merchant.as(await platform.strangerToken());
  expectProblem(await stranger.delete(`${PATH}/${id}`), 404, 'ResourceNotFound');
  expectProblem(await merchant.delete(`${PATH}/${newId()}`), 404, 'ResourceNotFound');
  expectInvalid(await merchant.delete(`${PATH}/nonsense`), ['path', 'id']);
  expectStatus(await merchant.get(`${PATH}/${id}`), 200);
});

test(
  'takes every merchant scheme with webhooks:write, and webhooks:read does not delete',
  () =>
    expectMerchantAccess(platform, { granting: ['webhooks:write'], success: 204 }, async (api) => {
      const { id } = await makeEndpoint(kept);
      return api.delete(`${PATH}/${id}`);
    }),
  60_000,
);
