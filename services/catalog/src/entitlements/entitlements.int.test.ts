import { eventTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { type CatalogUnderTest, catalogUnderTest, type SubscriptionState } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
beforeEach(async () => {
  await catalog.settle();
  await catalog.app.db.query('delete from outbox');
  catalog.clock.set('2026-01-15T12:00:00Z');
});
afterAll(() => catalog.stop());

const grantsOf = async (customer: { id: string }, filter = '') =>
  (await catalog.api('GET', `/v1/benefit-grants/?customer_id=${customer.id}&limit=100${filter}`)).body.items;
const grantedTo = async (customer: { id: string }): Promise<string[]> =>
  (await grantsOf(customer, '&is_granted=true'))
    .map((grant: { benefit_id: string }) => grant.benefit_id)
    .sort();
const sorted = (...benefits: { id: string }[]) => benefits.map((benefit) => benefit.id).sort();
const change = (subscription: SubscriptionState, given: object) =>
  catalog.publish('subscriptions', subscription.id, { ...subscription, ...given });
/** An order of the subscription, made now. */
const orderOf = (billing_reason: string) => {
  const order = { id: newId(), created_at: catalog.clock.now().toISOString(), billing_reason };
  catalog.elsewhere.put('orders', order);
  return order;
};
const pay = (subscription: SubscriptionState, order: { id: string }) => {
  const { id: subscription_id, product_id, customer_id } = subscription;
  const metadata = { order_id: order.id, product_id, subscription_id, amount: 1_000 };
  return catalog.deliver({
    topic: eventTopics.order.name,
    key: customer_id,
    type: 'order.paid',
    value: { name: 'order.paid', customer_id, metadata },
  });
};
const renew = (subscription: SubscriptionState) => pay(subscription, orderOf('subscription_cycle'));
const keyOf = async (benefit: { id: string }) =>
  (await catalog.api('GET', `/v1/license-keys/?benefit_id=${benefit.id}`)).body.items[0];

describe('a subscription', () => {
  test('grants the benefits of its product while it is active', async () => {
    const keys = await catalog.benefit('license_keys', {
      activations: { limit: 3, enable_customer_admin: true },
    });
    const meter = catalog.meter();
    const credit = await catalog.benefit('meter_credit', { meter_id: meter.id, units: 1000, rollover: true });
    const product = await catalog.product({}, [keys, credit]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    expect(await grantedTo(customer)).toEqual(sorted(keys, credit));
    const grant = (await grantsOf(customer)).find(
      (item: { benefit_id: string }) => item.benefit_id === credit.id,
    );
    expect(grant).toEqual({
      id: expect.any(String),
      created_at: '2026-01-15T12:00:00.000Z',
      modified_at: null,
      granted_at: '2026-01-15T12:00:00.000Z',
      is_granted: true,
      revoked_at: null,
      is_revoked: false,
      subscription_id: subscription.id,
      order_id: null,
      customer_id: customer.id,
      member_id: null,
      benefit_id: credit.id,
      error: null,
      customer,
      member: null,
      benefit: credit,
      properties: {
        last_credited_meter_id: meter.id,
        last_credited_units: 1000,
        last_credited_at: '2026-01-15T12:00:00.000Z',
      },
    });
    expect(await catalog.told('benefit.granted', grant.id)).toEqual([
      expect.objectContaining({
        source: 'system',
        organization_id: catalog.organization.id,
        customer_id: customer.id,
        external_customer_id: customer.external_id,
        metadata: { benefit_id: credit.id, benefit_grant_id: grant.id, benefit_type: 'meter_credit' },
      }),
    ]);
    expect((await catalog.told('benefit_grant.created', grant.id))[0].data).toEqual({
      ...grant,
      previous_properties: null,
    });
    expect(await catalog.told('benefit_grants.changed', grant.id)).toEqual([grant]);
  });

  test('told of many times at once grants each benefit once', async () => {
    const benefit = await catalog.benefit('license_keys');
    const product = await catalog.product({}, [benefit, await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const state = await catalog.subscribe(product.id, customer.id, { status: 'incomplete' });
    expect(await grantsOf(customer)).toEqual([]);
    await Promise.all(Array.from({ length: 20 }, () => change(state, { status: 'active' })));
    expect(await grantsOf(customer)).toHaveLength(2);
    expect((await catalog.told('benefit.granted')).length).toBe(2);
    const message = { topic: 'tributary.state.subscriptions', key: state.id, type: 'subscriptions.changed' };
    const again = { ...message, id: newId(), value: { ...state, status: 'canceled' } };
    await Promise.all(Array.from({ length: 5 }, () => catalog.deliver(again)));
    expect((await catalog.told('benefit.revoked')).length).toBe(2);
  });

  test.each(['canceled', 'unpaid', 'paused', 'incomplete_expired'])(
    'takes its benefits away when %s and gives the same key back when active again',
    async (status) => {
      const benefit = await catalog.benefit('license_keys');
      const product = await catalog.product({}, [benefit]);
      const customer = catalog.customer();
      const subscription = await catalog.subscribe(product.id, customer.id, { status: 'trialing' });
      const { key } = await keyOf(benefit);
      await change(subscription, { status });
      expect(await keyOf(benefit)).toMatchObject({ status: 'revoked', key });
      const [grant] = await grantsOf(customer);
      expect(grant).toMatchObject({ is_granted: false, is_revoked: true, granted_at: null });
      await change(subscription, { status: 'active' });
      expect(await keyOf(benefit)).toMatchObject({ status: 'granted', key });
      expect(await grantsOf(customer)).toMatchObject([{ id: grant.id, is_granted: true, revoked_at: null }]);
    },
  );

  test('whose state is gone grants nothing any more', async () => {
    const product = await catalog.product({}, [await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const { id } = await catalog.subscribe(product.id, customer.id);
    await catalog.publish('subscriptions', id, null);
    expect(await grantedTo(customer)).toEqual([]);
  });

  test('on another product grants what that product has', async () => {
    const [a, b, c] = [
      await catalog.benefit('custom'),
      await catalog.benefit('license_keys'),
      await catalog.benefit('feature_flag'),
    ];
    const [small, large] = [await catalog.product({}, [a, b]), await catalog.product({}, [b, c])];
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(small.id, customer.id);
    const { key } = await keyOf(b);
    await change(subscription, { product_id: large.id });
    expect(await grantedTo(customer)).toEqual(sorted(b, c));
    expect(await keyOf(b)).toMatchObject({ status: 'granted', key });
  });

  test('unpaid keeps its benefits as long as the organization is patient', async () => {
    const patient = {
      ...catalog.organization,
      subscription_settings: { benefit_revocation_grace_period: 3 },
    };
    await catalog.publish('organizations', patient.id, patient);
    const product = await catalog.product({}, [await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    const past_due_at = catalog.clock.now().toISOString();
    await change(subscription, { status: 'past_due', past_due_at });
    await catalog.settle();
    expect(await grantedTo(customer)).toHaveLength(1);
    catalog.clock.advance({ days: 3, ms: -1 });
    await catalog.settle();
    expect(await grantedTo(customer)).toHaveLength(1);
    catalog.clock.advance({ ms: 1 });
    await catalog.settle();
    expect(await grantedTo(customer)).toEqual([]);
    await change(subscription, { status: 'active' });
    expect(await grantedTo(customer)).toHaveLength(1);
    await catalog.publish('organizations', patient.id, catalog.organization);
  });

  test('unpaid loses its benefits at once where there is no grace', async () => {
    const product = await catalog.product({}, [await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    await change(subscription, { status: 'past_due', past_due_at: catalog.clock.now().toISOString() });
    expect(await grantedTo(customer)).toEqual([]);
  });

  test('renews its grants each period, credits in the number the benefit has now', async () => {
    const meter = catalog.meter();
    const properties = { meter_id: meter.id, units: 100, rollover: false };
    const [credit, keys] = [
      await catalog.benefit('meter_credit', properties),
      await catalog.benefit('license_keys'),
    ];
    const product = await catalog.product({}, [credit, keys]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    const before = await grantsOf(customer);
    const change = { type: 'meter_credit', properties: { ...properties, units: 250 } };
    await catalog.api('PATCH', `/v1/benefits/${credit.id}`, change);
    await catalog.settle();
    expect((await catalog.told('benefit.updated')).filter((event) => event.source === 'system')).toEqual([]);
    catalog.clock.advance({ days: 31 });
    await renew(subscription);
    const [webhook] = (await catalog.told('benefit_grant.cycled')).filter(
      ({ data }) => data.benefit_id === credit.id,
    );
    expect(webhook.data.properties).toEqual({
      last_credited_meter_id: meter.id,
      last_credited_units: 250,
      last_credited_at: '2026-02-15T12:00:00.000Z',
    });
    expect(webhook.data.previous_properties).toMatchObject({ last_credited_units: 100 });
    expect(await catalog.told('benefit.cycled')).toHaveLength(2);
    const after = await grantsOf(customer);
    expect(after.map((grant: { granted_at: string }) => grant.granted_at)).toEqual(
      before.map((grant: { granted_at: string }) => grant.granted_at),
    );
  });

  test('renews its grants when the renewal is paid, not when the period begins, and for no other order', async () => {
    const product = await catalog.product({}, [await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    catalog.clock.advance({ days: 31 });
    await catalog.deliver({
      topic: eventTopics.subscription.name,
      key: customer.id,
      type: 'subscription.cycled',
      value: { name: 'subscription.cycled', metadata: { subscription_id: subscription.id } },
    });
    for (const reason of ['subscription_create', 'subscription_update'])
      await pay(subscription, orderOf(reason));
    expect(await catalog.told('benefit.cycled')).toEqual([]);
    const late = orderOf('subscription_cycle');
    catalog.clock.advance({ days: 2 });
    await pay(subscription, late);
    expect(await catalog.told('benefit.cycled')).toHaveLength(1);
  });

  test('a late payment renews nothing that was given again because of it', async () => {
    const meter = catalog.meter();
    const credit = await catalog.benefit('meter_credit', { meter_id: meter.id, units: 5, rollover: true });
    const product = await catalog.product({}, [credit]);
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    catalog.clock.advance({ days: 31 });
    const order = orderOf('subscription_cycle');
    await change(subscription, { status: 'past_due', past_due_at: catalog.clock.now().toISOString() });
    expect(await grantedTo(customer)).toEqual([]);
    catalog.clock.advance({ days: 2 });
    await change(subscription, { status: 'active' });
    await pay(subscription, order);
    expect(await catalog.told('benefit.granted')).toHaveLength(2);
    expect(await catalog.told('benefit.cycled')).toEqual([]);
  });
});

describe('a one-time order', () => {
  test('grants the benefits of its product once and for good', async () => {
    const benefit = await catalog.benefit('license_keys', { expires: { ttl: 30, timeframe: 'day' } });
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customer = catalog.customer();
    const order = await catalog.buy(product.id, customer.id);
    expect(await grantsOf(customer)).toMatchObject([
      { order_id: order, subscription_id: null, is_granted: true },
    ]);
    expect((await keyOf(benefit)).expires_at).toBe('2026-02-14T12:00:00.000Z');
  });

  test('of a subscription grants nothing by itself', async () => {
    const product = await catalog.product({}, [await catalog.benefit('custom')]);
    const customer = catalog.customer();
    const [id, order] = [newId(), orderOf('subscription_create')];
    await pay({ id, product_id: product.id, customer_id: customer.id } as SubscriptionState, order);
    expect(await grantsOf(customer)).toEqual([]);
  });

  test('bought twice grants twice, each with a key of its own', async () => {
    const benefit = await catalog.benefit('license_keys');
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customer = catalog.customer();
    await catalog.buy(product.id, customer.id);
    await catalog.buy(product.id, customer.id);
    const { body } = await catalog.api('GET', `/v1/license-keys/?benefit_id=${benefit.id}`);
    expect(new Set(body.items.map((item: { key: string }) => item.key)).size).toBe(2);
    expect(await grantsOf(customer)).toHaveLength(2);
  });
});

describe('a changed product or benefit', () => {
  test('reaches every customer, however many there are', async () => {
    const [a, b] = [await catalog.benefit('custom'), await catalog.benefit('feature_flag')];
    const product = await catalog.product({}, [a]);
    const customers = Array.from({ length: 130 }, () => catalog.customer());
    for (const customer of customers) await catalog.subscribe(product.id, customer.id);
    const stopped = await catalog.subscribe(product.id, catalog.customer().id, { status: 'canceled' });
    await catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [b.id] });
    await catalog.settle();
    const count = async (benefit: { id: string }, isGranted: boolean) =>
      (await catalog.api('GET', `/v1/benefits/${benefit.id}/grants?is_granted=${isGranted}`)).body.pagination
        .total_count;
    expect(await count(a, true)).toBe(0);
    expect(await count(a, false)).toBe(130);
    expect(await count(b, true)).toBe(130);
    expect(await grantsOf({ id: stopped.customer_id })).toEqual([]);
    await catalog.api('DELETE', `/v1/benefits/${b.id}`);
    await catalog.settle();
    const revoked = await catalog.told('benefit.revoked');
    expect(revoked).toHaveLength(260);
    expect((await grantsOf(customers[7]!)).every((grant: { is_revoked: boolean }) => grant.is_revoked)).toBe(
      true,
    );
  });

  test('while others subscribe and leave, ends with everybody having what the product has', async () => {
    const benefits = [
      await catalog.benefit('custom'),
      await catalog.benefit('license_keys'),
      await catalog.benefit('feature_flag'),
    ];
    const product = await catalog.product({}, benefits.slice(0, 1));
    const set = (chosen: { id: string }[]) =>
      catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits: chosen.map(({ id }) => id) });
    const customers = Array.from({ length: 24 }, () => catalog.customer());
    const leaving = new Set(customers.filter((_, index) => index % 4 === 0));
    const comeAndGo = async (customer: { id: string }) => {
      const subscription = await catalog.subscribe(product.id, customer.id);
      if (leaving.has(customer as never)) await change(subscription, { status: 'canceled' });
    };
    await Promise.all([
      ...customers.map(comeAndGo),
      set(benefits.slice(0, 2)).then(() => catalog.settle()),
      set(benefits.slice(1, 3)).then(() => catalog.settle()),
      catalog.api('PATCH', `/v1/benefits/${benefits[1]!.id}`, {
        type: 'license_keys',
        properties: { limit_usage: 7 },
      }),
    ]);
    const final = [benefits[0]!, benefits[2]!];
    expect((await set(final)).status).toBe(200);
    await catalog.settle();
    for (const customer of customers) {
      expect(await grantedTo(customer)).toEqual(leaving.has(customer) ? [] : sorted(...final));
    }
    const parked: unknown[] = await catalog.app.db.query('select 1 from parked_messages');
    expect(parked).toEqual([]);
  });

  test('new limits reach existing keys, with the properties from before in the webhook', async () => {
    const benefit = await catalog.benefit('license_keys', {
      activations: { limit: 1, enable_customer_admin: false },
    });
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customer = catalog.customer();
    await catalog.buy(product.id, customer.id);
    catalog.clock.advance({ days: 1 });
    await catalog.api('PATCH', `/v1/benefits/${benefit.id}`, {
      type: 'license_keys',
      properties: {
        activations: { limit: 5, enable_customer_admin: false },
        limit_usage: 9,
        expires: { ttl: 2, timeframe: 'day' },
      },
    });
    await catalog.settle();
    expect(await keyOf(benefit)).toMatchObject({
      limit_activations: 5,
      limit_usage: 9,
      expires_at: '2026-01-17T12:00:00.000Z',
    });
    const [grant] = await grantsOf(customer);
    const [webhook] = await catalog.told('benefit_grant.updated', grant.id);
    expect(webhook.data).toMatchObject({ id: grant.id, previous_properties: grant.properties });
    expect(await catalog.told('benefit.updated', grant.id)).toHaveLength(1);
  });

  test('a new description alone disturbs nobody', async () => {
    const benefit = await catalog.benefit('custom');
    const product = await catalog.product({ recurring_interval: null }, [benefit]);
    const customer = catalog.customer();
    await catalog.buy(product.id, customer.id);
    await catalog.api('PATCH', `/v1/benefits/${benefit.id}`, { type: 'custom', description: 'Renamed' });
    await catalog.settle();
    expect(await catalog.told('benefit_grant.updated')).toEqual([]);
    expect((await grantsOf(customer))[0].benefit.description).toBe('Renamed');
  });
});

describe('seats', () => {
  const seatPrice = {
    amount_type: 'seat_based',
    seat_tiers: { tiers: [{ min_seats: 1, price_per_seat: 1000 }] },
  };
  async function team() {
    const benefit = await catalog.benefit('license_keys');
    const product = await catalog.product({ prices: [seatPrice] }, [benefit]);
    const customer = catalog.customer({ type: 'team', email: null });
    const members = [catalog.member(customer), catalog.member(customer)] as const;
    const seat = (member: { id: string }, given: object = {}) => ({
      id: newId(),
      status: 'claimed',
      subscription_id: null as string | null,
      order_id: null,
      product_id: product.id,
      customer_id: customer.id,
      member_id: member.id,
      organization_id: catalog.organization.id,
      ...given,
    });
    return { benefit, product, customer, members, seat };
  }
  const publish = (seat: Record<string, unknown> & { id: string }) =>
    catalog.publish('customer_seats', seat.id, seat);
  const holders = async (customer: { id: string }) =>
    (await grantsOf(customer, '&is_granted=true'))
      .map((grant: { member_id: string }) => grant.member_id)
      .sort();

  test('give the benefits to whoever claimed one', async () => {
    const { product, customer, members, seat } = await team();
    const subscription = await catalog.subscribe(product.id, customer.id, { seats: 5 });
    await catalog.settle();
    expect(await grantsOf(customer)).toEqual([]);
    const [first, second] = members.map((member) => seat(member, { subscription_id: subscription.id }));
    await publish({ ...first!, status: 'pending' });
    expect(await grantsOf(customer)).toEqual([]);
    await publish(first!);
    await publish(second!);
    expect(await holders(customer)).toEqual(members.map((member) => member.id).sort());
    const [grant] = await grantsOf(customer, `&sorting=created_at`);
    expect(grant.member).toEqual(members[0]);
    expect((await catalog.told('benefit.granted', grant.id))[0]).toMatchObject({
      member_id: members[0].id,
      external_member_id: members[0].external_id,
      metadata: { member_id: members[0].id },
    });
    await publish({ ...first!, status: 'revoked' });
    expect(await holders(customer)).toEqual([members[1].id]);
  });

  test('of one member count together', async () => {
    const { product, customer, members, seat } = await team();
    const subscription = await catalog.subscribe(product.id, customer.id, { seats: 5 });
    const [one, two] = [
      seat(members[0], { subscription_id: subscription.id }),
      seat(members[0], { subscription_id: subscription.id }),
    ];
    await publish(one);
    await publish(two);
    expect(await holders(customer)).toEqual([members[0].id]);
    await publish({ ...one, status: 'revoked' });
    expect(await holders(customer)).toEqual([members[0].id]);
    await publish({ ...two, status: 'revoked' });
    expect(await holders(customer)).toEqual([]);
  });

  test('may pass to another member without a word in between', async () => {
    const { product, customer, members, seat } = await team();
    const subscription = await catalog.subscribe(product.id, customer.id, { seats: 5 });
    const claimed = seat(members[0], { subscription_id: subscription.id });
    await publish(claimed);
    await publish({ ...claimed, member_id: members[1].id });
    expect(await holders(customer)).toEqual([members[1].id]);
  });

  test('follow their subscription, whichever is heard of first', async () => {
    const { product, customer, members, seat } = await team();
    const id = newId();
    await publish(seat(members[0], { subscription_id: id }));
    expect(await holders(customer)).toEqual([]);
    const subscription = await catalog.subscribe(product.id, customer.id, { id, seats: 5 });
    await catalog.settle();
    expect(await holders(customer)).toEqual([members[0].id]);
    await change(subscription, { status: 'paused' });
    await catalog.settle();
    expect(await holders(customer)).toEqual([]);
    await change(subscription, { status: 'active' });
    await catalog.settle();
    expect(await holders(customer)).toEqual([members[0].id]);
    catalog.clock.advance({ days: 31 });
    await renew(subscription);
    await catalog.settle();
    expect(await catalog.told('benefit.cycled')).toHaveLength(1);
  });

  test('bought once grant by the order', async () => {
    const benefit = await catalog.benefit('custom');
    const product = await catalog.product({ recurring_interval: null, prices: [seatPrice] }, [benefit]);
    const customer = catalog.customer({ type: 'team' });
    const member = catalog.member(customer);
    const order_id = await catalog.buy(product.id, customer.id);
    await catalog.settle();
    expect(await grantsOf(customer)).toEqual([]);
    await publish({
      id: newId(),
      status: 'claimed',
      order_id,
      product_id: product.id,
      customer_id: customer.id,
      member_id: member.id,
    });
    expect(await grantsOf(customer)).toMatchObject([{ order_id, member_id: member.id, is_granted: true }]);
  });

  test('take over from the customer when a plan becomes one of seats', async () => {
    const { product, customer, members, seat, benefit } = await team();
    const plain = await catalog.product({}, [benefit]);
    const subscription = await catalog.subscribe(plain.id, customer.id);
    expect(await holders(customer)).toEqual([null]);
    await change(subscription, { product_id: product.id, seats: 1 });
    await publish(seat(members[0], { subscription_id: subscription.id }));
    await catalog.settle();
    expect(await holders(customer)).toEqual([members[0].id]);
  });
});

describe('a deleted customer', () => {
  test.each([
    ['whose copy says so', true],
    ['who left no copy', false],
  ])('%s loses everything and gets nothing more', async (_name, keepsCopy) => {
    const benefit = await catalog.benefit('license_keys');
    const [product, book] = [
      await catalog.product({}, [benefit]),
      await catalog.product({ recurring_interval: null }, [benefit]),
    ];
    const customer = catalog.customer();
    const subscription = await catalog.subscribe(product.id, customer.id);
    await catalog.buy(book.id, customer.id);
    expect(await grantedTo(customer)).toHaveLength(2);
    const gone = { ...customer, deleted_at: '2026-01-15T12:00:00Z' };
    await catalog.publish('customers', customer.id, keepsCopy ? gone : null);
    await catalog.settle();
    expect(await grantedTo(customer)).toEqual([]);
    await change(subscription, { status: 'trialing' });
    await catalog.buy(book.id, customer.id);
    expect(await grantedTo(customer)).toEqual([]);
    expect((await catalog.api('GET', `/v1/license-keys/?benefit_id=${benefit.id}`)).body.items).toMatchObject(
      [
        { status: 'revoked', customer: { id: customer.id } },
        { status: 'revoked', customer: { id: customer.id } },
      ],
    );
  });
});

test('an anonymized customer is forgotten by the state of every grant', async () => {
  const product = await catalog.product({}, [await catalog.benefit('custom')]);
  const customer = catalog.customer();
  const ended = await catalog.subscribe(product.id, customer.id);
  await change(ended, { status: 'canceled' });
  await catalog.subscribe(product.id, customer.id);
  const anonymous = {
    ...customer,
    email: 'hash@example.invalid',
    name: null,
    deleted_at: '2026-01-15T12:00:00Z',
  };
  await catalog.publish('customers', customer.id, anonymous);
  await catalog.settle();
  for (const { id } of await grantsOf(customer)) {
    const newest = (await catalog.told('benefit_grants.changed', id)).at(-1);
    expect(newest).toMatchObject({
      is_revoked: true,
      customer: { email: 'hash@example.invalid', name: null },
    });
  }
});

test('the grants of a benefit are listed by state, customer and member', async () => {
  const benefit = await catalog.benefit('custom');
  const product = await catalog.product({}, [benefit]);
  const [ada, bob] = [catalog.customer(), catalog.customer()];
  await catalog.subscribe(product.id, ada.id);
  const ended = await catalog.subscribe(product.id, bob.id);
  await change(ended, { status: 'canceled' });
  const list = async (query: string) => {
    const { status, body } = await catalog.api('GET', `/v1/benefits/${benefit.id}/grants?${query}`);
    expect(status).toBe(200);
    return body.items.map((grant: { customer_id: string }) => (grant.customer_id === ada.id ? 'ada' : 'bob'));
  };
  expect(await list('')).toEqual(['bob', 'ada']);
  expect(await list('is_granted=true')).toEqual(['ada']);
  expect(await list('is_granted=false')).toEqual(['bob']);
  expect(await list(`customer_id=${ada.id}`)).toEqual(['ada']);
  expect(await list(`customer_id=${ada.id}&customer_id=${bob.id}`)).toEqual(['bob', 'ada']);
  expect(await list(`member_id=${newId()}`)).toEqual([]);
  expect(await list('limit=1&page=2')).toEqual(['ada']);
  const all = async (query: string) =>
    (
      await catalog.api('GET', `/v1/benefit-grants/?customer_id=${ada.id}&customer_id=${bob.id}&${query}`)
    ).body.items.map((grant: { customer_id: string }) => (grant.customer_id === ada.id ? 'ada' : 'bob'));
  expect(await all(`external_customer_id=${bob.external_id}`)).toEqual(['bob']);
  expect(await all('sorting=granted_at')).toEqual(['bob', 'ada']);
  expect(await all('sorting=-granted_at')).toEqual(['ada', 'bob']);
  expect(await all('sorting=-revoked_at')).toEqual(['bob', 'ada']);
  expect(await all(`organization_id=${newId()}`)).toEqual([]);
  expect((await catalog.api('GET', '/v1/benefit-grants/?is_granted=perhaps')).status).toBe(422);
  expect((await catalog.api('GET', `/v1/benefits/${benefit.id}/grants?customer_id=x`)).status).toBe(422);
});
