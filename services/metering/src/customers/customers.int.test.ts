import { systemEvent } from '@tributary/proto/events/message.ts';
import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { createWorld, customerOf, named, type World } from '../testing/world.ts';
import { joinEvents } from './join-events.flow.ts';
import { nextJoin } from './store.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const get = (target: string) => world.service.request('GET', target, { as: world.merchant });

async function setup(given: object = {}) {
  const [name, external_id] = [newId(), newId()];
  const meter = await world.createMeter({ filter: named(name), ...given });
  const use = (count: number) =>
    world.ingest(Array.from({ length: count }, () => ({ name, external_customer_id: external_id })));
  return { name, external_id, meter, use };
}

async function finishJoins(): Promise<void> {
  for (let join = await nextJoin(world.app.db); join; join = await nextJoin(world.app.db)) {
    const waiting = join;
    await inTransaction(world.app.db, (tx) => joinEvents(tx, waiting, 2_000, world.clock.now()));
  }
}

test('events that came before their customer join it, with their usage', async () => {
  const { name, external_id, meter, use } = await setup();
  await use(3);
  const [event] = (await get(`/v1/events/?name=${name}`)).body.items;
  expect(event).toMatchObject({ customer_id: null, customer: null, external_customer_id: external_id });
  const customer = await world.addCustomer({ external_id });
  expect(await world.balanceOf(customer.id, meter.id)).toEqual({ consumed: 3, credited: 0, balance: -3 });
  expect((await get(`/v1/events/${event.id}`)).body).toMatchObject({
    customer_id: customer.id,
    customer: { id: customer.id },
  });
  await use(2);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 5 });
});

test('a long past joins step by step while more comes in', async () => {
  const { external_id, meter, use } = await setup();
  await use(5_000);
  const customer = customerOf({ organization_id: world.organization, external_id });
  await Promise.all([world.addCustomer(customer), ...Array.from({ length: 20 }, () => use(10))]);
  await Promise.all([finishJoins(), ...Array.from({ length: 20 }, () => use(10))]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 5_400 });
});

test('events join their customer and a new meter at the same time, each counted once', async () => {
  const [name, external_id] = [newId(), newId()];
  const use = (count: number) =>
    world.ingest(Array.from({ length: count }, () => ({ name, external_customer_id: external_id })));
  await use(3_000);
  const customer = customerOf({ organization_id: world.organization, external_id });
  const [meter] = await Promise.all([
    world.createMeter({ filter: named(name) }),
    world.addCustomer(customer).then(finishJoins),
    use(5),
  ]);
  expect(await world.balanceOf(customer.id, meter.id)).toMatchObject({ consumed: 3_005 });
});

test('an external id released by a deleted customer means the next one that claims it', async () => {
  const { external_id, meter, use } = await setup();
  const first = await world.addCustomer({ external_id });
  await use(1);
  const deleted = { ...first, external_id: null, deleted_at: world.clock.now().toISOString() };
  await world.replicate('customers', deleted);
  await use(2);
  const second = await world.addCustomer({ external_id });
  await use(3);
  expect(await world.balanceOf(first.id, meter.id)).toMatchObject({ consumed: 1 });
  expect(await world.balanceOf(second.id, meter.id)).toMatchObject({ consumed: 5 });
  const refused = await world.service.request('POST', '/v1/events/ingest', {
    as: world.merchant,
    body: { events: [{ name: 'x', customer_id: first.id }] },
  });
  expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['body', 'events', 0, 'customer_id']]);
});

test('messages of two customers about one external id may come in any order', async () => {
  const { external_id, meter, use } = await setup();
  const first = customerOf({ organization_id: world.organization, external_id });
  const second = customerOf({ organization_id: world.organization, external_id });
  await world.replicate('customers', second);
  await world.replicate('customers', first);
  await world.replicate('customers', {
    ...first,
    external_id: null,
    deleted_at: world.clock.now().toISOString(),
  } as typeof first);
  await use(4);
  expect(await world.balanceOf(second.id, meter.id)).toMatchObject({ consumed: 4 });
});

test('an anonymized customer leaves no personal data in events or customer meters', async () => {
  const { name, external_id, meter, use } = await setup();
  const person = {
    email: 'ada.lovelace@example.com',
    name: 'Ada Lovelace',
    billing_name: 'Countess of Lovelace',
    billing_address: { line1: '12 St James Square', country: 'GB' },
  };
  const customer = await world.addCustomer({ external_id, ...person });
  await use(1);
  const told = (event: 'customer.updated' | 'customer.deleted') => {
    const context = {
      organization_id: world.organization,
      customer_id: customer.id,
      external_customer_id: null,
      timestamp: world.clock.now(),
    };
    const about = {
      customer_id: customer.id,
      customer_email: person.email,
      customer_name: person.name,
      customer_external_id: external_id,
    };
    return event === 'customer.updated'
      ? systemEvent(event, context, { ...about, updated_fields: { name: person.name, email: person.email } })
      : systemEvent(event, context, about);
  };
  const [updated, deleted] = [told('customer.updated'), told('customer.deleted')];
  await world.service.deliver(updated);
  const canceled = systemEvent(
    'subscription.canceled',
    {
      organization_id: world.organization,
      customer_id: customer.id,
      external_customer_id: external_id,
      timestamp: world.clock.now(),
    },
    {
      subscription_id: newId(),
      amount: 1_000,
      currency: 'usd',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      customer_cancellation_reason: 'other',
      customer_cancellation_comment: 'Lovelace has no use for it',
      canceled_at: world.clock.now().toISOString(),
    },
  );
  await world.service.deliver(canceled);
  const anonymized = {
    ...customer,
    external_id: null,
    email: '5f2d@anonymized.invalid',
    name: '8c1e',
    billing_name: '77aa',
    billing_address: null,
    metadata: { __anonymized_at: world.clock.now().toISOString(), __external_id: external_id },
    deleted_at: world.clock.now().toISOString(),
  };
  await world.replicate('customers', anonymized);
  await world.service.deliver(deleted);
  const seen = await Promise.all([
    get(`/v1/events/?customer_id=${customer.id}`),
    get(`/v1/events/${updated.id}`),
    get(`/v1/events/${deleted.id}`),
    get(`/v1/events/?name=${name}`),
    get(`/v1/customer-meters/?meter_id=${meter.id}`),
    get(`/v1/events/${canceled.id}`),
  ]);
  const text = JSON.stringify(seen.map((answer) => [answer.status, answer.body]));
  for (const secret of ['ada.lovelace', 'Lovelace', 'St James']) expect(text).not.toContain(secret);
  expect(seen[1]!.body.metadata).toMatchObject({ customer_email: anonymized.email, customer_name: '8c1e' });
  expect(seen[5]!.body.metadata.customer_cancellation_reason).toBe('other');
  const [{ copies }] = await world.app.db.query(
    `select string_agg(value::text, '') as copies from customers_replica where id = $1`,
    [customer.id],
  );
  expect(copies).not.toContain('Lovelace');
});

test('a customer that is gone altogether is shown no more', async () => {
  const { external_id, meter, use } = await setup();
  const customer = await world.addCustomer({ external_id });
  await use(1);
  await world.service.deliver({
    topic: stateTopics.customers.name,
    key: customer.id,
    type: 'customers.deleted',
    value: null,
  });
  expect(await world.balanceOf(customer.id, meter.id)).toBeUndefined();
});
