import { newId } from '@tributary/proto/id.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import { expectFields, expectInvalid, expectMerchantAccess, expectProblem, listAll } from './expectations.ts';
import { customerFields, eventFields } from './fields.ts';
import { makeCustomer, makeTeam } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/events/';
let platform: TestPlatform;
beforeAll(async () => {
  platform = await startTestPlatform();
}, 120_000);
afterAll(() => platform?.stop());

const ingest = async (...events: object[]) =>
  expectStatus(await platform.merchant.post('/v1/events/ingest', { events }), 200);
const named = (name: string, count = 1): Promise<Json[]> =>
  eventually(async () => {
    const items = await listAll(platform.merchant, `${PATH}?name=${name}`);
    expect(items).toHaveLength(count);
    return items;
  });
const read = async (id: string) => expectStatus(await platform.merchant.get(PATH + id), 200);

describe('a user event', () => {
  test('has every field, with the customer and the member who acted', async () => {
    const { customer, member } = await makeTeam(platform.merchant, { external_id: 'team-1' });
    const metadata = {
      text: 'ü',
      whole: 7,
      part: 0.5,
      flag: true,
      _cost: { amount: '0.000000000001', currency: 'usd' },
      _llm: { vendor: 'acme', model: 'm', input_tokens: 1, output_tokens: 2, total_tokens: 3 },
    };
    const timestamp = new Date(Date.now() - 60_000).toISOString();
    const [parent, name] = [newId(), newId()];
    await eventually(() =>
      ingest(
        { name, customer_id: customer.id, member_id: member.id, external_id: parent, timestamp, metadata },
        { name: `${name}-child`, external_customer_id: 'team-1', parent_id: parent },
      ),
    );
    const [{ id }] = await named(name);
    const event = await read(id);
    expectFields(event, eventFields);
    expectFields(event.customer, customerFields);
    expect(event).toMatchObject({
      id,
      timestamp,
      organization_id: platform.organizationId,
      customer_id: customer.id,
      customer: { id: customer.id, email: customer.email },
      external_customer_id: 'team-1',
      member_id: member.id,
      external_member_id: null,
      child_count: 1,
      parent_id: null,
      label: name,
      source: 'user',
      name,
    });
    expect(event.metadata).toEqual(metadata);
    const [child] = await named(`${name}-child`);
    expect(await read(child.id)).toMatchObject({ parent_id: id, child_count: 0, customer_id: customer.id });
  });

  test('of a customer nobody knows has neither id nor customer until one comes', async () => {
    const [name, external_id] = [newId(), newId()];
    await ingest({ name, external_customer_id: external_id });
    const [{ id }] = await named(name);
    expect(await read(id)).toMatchObject({
      customer_id: null,
      customer: null,
      external_customer_id: external_id,
      metadata: {},
    });
    const customer = await makeCustomer(platform.merchant, { external_id });
    await eventually(async () => expect((await read(id)).customer_id).toBe(customer.id));
  });

  test('may have the name of a system event and stays the integrator’s', async () => {
    const { id: customer_id } = await makeCustomer(platform.merchant);
    const metadata = { anything: 'goes' };
    await eventually(() => ingest({ name: 'order.paid', customer_id, metadata }));
    const [{ id }] = await listAll(platform.merchant, `${PATH}?name=order.paid&customer_id=${customer_id}`);
    expect(await read(id)).toMatchObject({ source: 'user', name: 'order.paid', metadata });
  });
});

test('a system event has every field', async () => {
  const customer = await makeCustomer(platform.merchant, { external_id: 'told' });
  const [{ id }] = await eventually(async () => {
    const items = await listAll(
      platform.merchant,
      `${PATH}?name=customer.created&customer_id=${customer.id}`,
    );
    expect(items).toHaveLength(1);
    return items;
  });
  const event = await read(id);
  expectFields(event, eventFields);
  expect(event).toMatchObject({
    source: 'system',
    name: 'customer.created',
    label: 'Customer Created',
    customer_id: customer.id,
    customer: { id: customer.id },
    external_customer_id: 'told',
    child_count: 0,
    parent_id: null,
  });
});

test('of another organization or of nobody is a 404, of no id a 422', async () => {
  const name = newId();
  await ingest({ name, external_customer_id: 'x' });
  const [{ id }] = await named(name);
  const stranger = platform.merchant.as(await platform.strangerToken());
  expectProblem(await stranger.get(PATH + id), 404, 'ResourceNotFound');
  expectProblem(await platform.merchant.get(PATH + newId()), 404, 'ResourceNotFound');
  for (const malformed of ['nonsense', '00000000-0000-1000-8000-000000000000'])
    expectInvalid(await platform.merchant.get(PATH + malformed), ['path', 'id']);
});

test('takes every merchant scheme with events:read or events:write', async () => {
  const name = newId();
  await ingest({ name, external_customer_id: 'x' });
  const [{ id }] = await named(name);
  await expectMerchantAccess(platform, { granting: ['events:read', 'events:write'], success: 200 }, (api) =>
    api.get(PATH + id),
  );
}, 60_000);
