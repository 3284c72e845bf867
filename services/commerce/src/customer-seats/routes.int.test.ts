import { newId } from '@tributary/proto/id.ts';
import {
  customerSession,
  memberSession,
  organizationToken,
  personalToken,
} from '@tributary/runtime/testing/principals.ts';
import { type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { fixed, seatBased } from '../testing/copies.ts';

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Any = any;

let shop: CommerceUnderTest;
beforeAll(async () => {
  shop = await commerceUnderTest();
});
afterAll(() => shop.stop());

const OWN_PAGE = { success_url: 'https://merchant.test/thanks' };
const teamPlan = () =>
  shop.product({ recurring_interval: 'month', prices: [seatBased(500)], name: 'Team plan' });

/** A team that bought seats; none of them is taken. */
async function buySeats(seats: number, product = teamPlan(), body: object = OWN_PAGE) {
  const { customer_id } = await shop.buy(product.id, { seats, ...body });
  const [subscription] = (await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`)).items;
  return { customer_id, product, subscription_id: subscription?.id as string };
}

async function buyOnce(seats: number) {
  const product = shop.product({ prices: [seatBased(500)] });
  const { customer_id } = await shop.buy(product.id, { seats, ...OWN_PAGE });
  const [order] = (await shop.ok('GET', `/v1/orders/?customer_id=${customer_id}`)).items;
  return { customer_id, order_id: order.id as string };
}

const email = () => `${newId().slice(0, 18)}@example.com`;
const assign = (body: object, options: object = {}) => shop.api('POST', '/v1/customer-seats', body, options);
const list = (query: string) => shop.ok('GET', `/v1/customer-seats?${query}`);
/** The token in the last invitation to an address. */
async function invitationTo(address: string): Promise<string> {
  const mails = (await shop.told('email.send')).filter((mail) => mail.to === address);
  const last = mails.at(-1);
  expect(last.template).toBe('seat_invitation');
  return new URL(last.data.claim_url).searchParams.get('invitation_token')!;
}
const claim = (invitation_token: string) =>
  shop.request('POST', '/v1/customer-seats/claim', { body: { invitation_token } });
const claimInfo = (token: string) => shop.request('GET', `/v1/customer-seats/claim/${token}`);

describe('a seat', () => {
  test('is offered by mail, looked at, claimed, and signs its holder in', async () => {
    const { subscription_id, customer_id, product } = await buySeats(2);
    const address = email();
    await shop.emptyOutbox();
    const offered = await assign({ subscription_id, email: address, metadata: { team: 'red' } });
    expect(offered).toMatchObject({
      status: 200,
      body: {
        subscription_id,
        order_id: null,
        status: 'pending',
        customer_id,
        email: address,
        member: { email: address, role: 'member', customer_id },
        claimed_at: null,
        revoked_at: null,
        invitation_token_expires_at: '2026-01-16T12:00:00.000Z',
        seat_metadata: { team: 'red' },
      },
    });
    expect(JSON.stringify(offered.body)).not.toContain('trb_si_');
    expect(await shop.webhooks()).toEqual(['member.created', 'customer_seat.assigned']);
    expect(await list(`subscription_id=${subscription_id}`)).toMatchObject({
      seats: [{ id: offered.body.id }],
      available_seats: 1,
      total_seats: 2,
    });
    const token = await invitationTo(address);
    expect(await claimInfo(token)).toMatchObject({
      status: 200,
      body: {
        product_name: 'Team plan',
        product_id: product.id,
        organization_name: 'Acme',
        organization_slug: shop.organization.slug,
        customer_email: address,
        can_claim: true,
      },
    });
    const claimed = await claim(token);
    expect(claimed).toMatchObject({
      status: 200,
      body: {
        seat: { id: offered.body.id, status: 'claimed', claimed_at: shop.clock.now().toISOString() },
        customer_session_token: expect.stringMatching(/^trb_mst_/),
      },
    });
    expect(shop.sessions.minted.at(-1)).toMatchObject({
      customer_id,
      member_id: offered.body.member_id,
    });
    expect((await shop.webhooks()).at(-1)).toBe('customer_seat.claimed');
    expect((await shop.told('customer_seats.changed')).at(-1)).toMatchObject({
      id: offered.body.id,
      organization_id: shop.organization.id,
      product_id: product.id,
      subscription_id,
      customer_id,
      member_id: offered.body.member_id,
      email: address,
      status: 'claimed',
    });
  });

  test('cannot be claimed twice, by an old token, or by a made-up one', async () => {
    const { subscription_id } = await buySeats(2);
    const address = email();
    const { body: seat } = await assign({ subscription_id, email: address });
    const old = await invitationTo(address);
    await shop.ok('POST', `/v1/customer-seats/${seat.id}/resend`);
    const token = await invitationTo(address);
    const refused = { status: 400, body: { error: 'InvalidInvitationToken' } };
    expect(await claim(old)).toMatchObject(refused);
    expect(await claimInfo(old)).toMatchObject({ status: 404, body: { error: 'ResourceNotFound' } });
    expect(await claim(token)).toMatchObject({ status: 200 });
    expect(await claim(token)).toMatchObject(refused);
    expect(await claim('trb_si_madeup')).toMatchObject(refused);
    expect(await claimInfo('nothing')).toMatchObject({ status: 404 });
  });

  test('claimed by several requests at once is claimed by one', async () => {
    const { subscription_id } = await buySeats(1);
    const address = email();
    await assign({ subscription_id, email: address });
    const token = await invitationTo(address);
    const answers = await Promise.all(Array.from({ length: 5 }, () => claim(token)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
  });

  test('is offered for a day', async () => {
    const { subscription_id } = await buySeats(1);
    const address = email();
    const { body: seat } = await assign({ subscription_id, email: address });
    const token = await invitationTo(address);
    const before = shop.clock.now();
    shop.clock.advance({ days: 1 });
    expect(await claimInfo(token)).toMatchObject({ status: 200, body: { can_claim: false } });
    expect(await claim(token)).toMatchObject({ status: 400, body: { error: 'InvalidInvitationToken' } });
    const again = await shop.ok('POST', `/v1/customer-seats/${seat.id}/resend`);
    expect(again.invitation_token_expires_at).toBe('2026-01-17T12:00:00.000Z');
    expect(await claim(await invitationTo(address))).toMatchObject({ status: 200 });
    shop.clock.set(before);
  });

  test('may be given without an invitation', async () => {
    const { subscription_id } = await buySeats(1);
    await shop.emptyOutbox();
    const given = await assign({ subscription_id, email: email(), immediate_claim: true });
    expect(given.body).toMatchObject({ status: 'claimed', invitation_token_expires_at: null });
    expect((await shop.webhooks()).slice(-2)).toEqual(['customer_seat.assigned', 'customer_seat.claimed']);
    expect(await shop.told('email.send')).toEqual([]);
  });

  test('that is taken away is free for somebody else', async () => {
    const { subscription_id } = await buySeats(1);
    const { body: seat } = await assign({ subscription_id, email: email() });
    await shop.emptyOutbox();
    const gone = await shop.ok('DELETE', `/v1/customer-seats/${seat.id}`);
    expect(gone).toMatchObject({
      id: seat.id,
      status: 'revoked',
      revoked_at: shop.clock.now().toISOString(),
    });
    expect(await shop.webhooks()).toEqual(['customer_seat.revoked']);
    expect(await shop.ok('DELETE', `/v1/customer-seats/${seat.id}`)).toEqual(gone);
    expect(await shop.webhooks()).toEqual(['customer_seat.revoked']);
    expect(await shop.api('POST', `/v1/customer-seats/${seat.id}/resend`)).toMatchObject({
      status: 400,
      body: { error: 'SeatNotPending' },
    });
    const next = await assign({ subscription_id, email: email() });
    expect(next.body).toMatchObject({ id: seat.id, status: 'pending', revoked_at: null });
    expect((await list(`subscription_id=${subscription_id}`)).seats).toHaveLength(1);
  });

  test('goes with the member who holds it', async () => {
    const { subscription_id, customer_id } = await buySeats(1);
    const { body: seat } = await assign({ subscription_id, email: email(), immediate_claim: true });
    await shop.ok('DELETE', `/v1/customers/${customer_id}/members/${seat.member_id}`);
    expect(await list(`subscription_id=${subscription_id}`)).toMatchObject({
      seats: [{ id: seat.id, status: 'revoked' }],
      available_seats: 1,
    });
  });

  test('is taken by the buyer where no page of the merchant waits', async () => {
    const { subscription_id, customer_id } = await buySeats(2, teamPlan(), {});
    expect(await list(`subscription_id=${subscription_id}`)).toMatchObject({
      seats: [{ status: 'claimed', customer_id, member: { role: 'owner' } }],
      available_seats: 1,
    });
    const { subscription_id: other } = await buySeats(2);
    expect(await list(`subscription_id=${other}`)).toMatchObject({ seats: [], available_seats: 2 });
  });

  test('may belong to an order', async () => {
    const { order_id } = await buyOnce(2);
    const { body: seat } = await assign({ order_id, email: email() });
    expect(seat).toMatchObject({ order_id, subscription_id: null, status: 'pending' });
    expect(await list(`order_id=${order_id}`)).toMatchObject({ available_seats: 1, total_seats: 2 });
  });
});

describe('the number of seats', () => {
  test('is never exceeded, however many ask at once', async () => {
    const { subscription_id } = await buySeats(3);
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => assign({ subscription_id, email: email() })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
    const refused = answers.filter(({ status }) => status !== 200);
    expect(refused.every(({ status, body }) => status === 400 && body.error === 'SeatNotAvailable')).toBe(
      true,
    );
    expect(await list(`subscription_id=${subscription_id}`)).toMatchObject({ available_seats: 0 });
  });

  test('counts one person once, however often they are named at once', async () => {
    const { subscription_id } = await buySeats(5);
    const address = email();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => assign({ subscription_id, email: address })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400]);
    expect(answers.filter(({ body }) => body.error === 'SeatAlreadyAssigned')).toHaveLength(4);
    expect(await list(`subscription_id=${subscription_id}`)).toMatchObject({ available_seats: 4 });
  });

  test('stays right while seats are given and taken at once', async () => {
    const { subscription_id } = await buySeats(4);
    const held = await Promise.all(
      Array.from({ length: 4 }, () => assign({ subscription_id, email: email() })),
    );
    await Promise.all(
      held.flatMap(({ body }) => [
        shop.api('DELETE', `/v1/customer-seats/${body.id}`),
        assign({ subscription_id, email: email() }),
        assign({ subscription_id, email: email() }),
      ]),
    );
    const { seats, available_seats, total_seats } = await list(`subscription_id=${subscription_id}`);
    const taken = seats.filter(({ status }: Any) => status !== 'revoked').length;
    expect(taken).toBeLessThanOrEqual(total_seats);
    expect(available_seats).toBe(total_seats - taken);
    expect(seats).toHaveLength(4);
  });
});

describe('who a seat is for', () => {
  test('is found among the members by id, by external id and by address', async () => {
    const { subscription_id, customer_id } = await buySeats(3);
    const member = (external_id: string) =>
      shop.ok('POST', `/v1/customers/${customer_id}/members`, { email: email(), external_id });
    const [one, two, three] = [await member('m-1'), await member('m-2'), await member('m-3')];
    expect((await assign({ subscription_id, member_id: one.id })).body).toMatchObject({ member_id: one.id });
    expect((await assign({ subscription_id, external_member_id: 'm-2' })).body).toMatchObject({
      member_id: two.id,
      email: two.email,
    });
    expect((await assign({ subscription_id, email: three.email.toUpperCase() })).body).toMatchObject({
      member_id: three.id,
    });
  });

  test('may be another customer, whose address counts', async () => {
    const { subscription_id } = await buySeats(2);
    const address = email();
    const external_id = `external-${newId()}`;
    const customer = await shop.ok('POST', '/v1/customers/', { email: address, external_id });
    expect((await assign({ subscription_id, customer_id: customer.id })).body).toMatchObject({
      email: address,
      status: 'pending',
    });
    expect(await assign({ subscription_id, external_customer_id: external_id })).toMatchObject({
      status: 400,
      body: { error: 'SeatAlreadyAssigned' },
    });
  });

  test('may be taken in under an external id with an address', async () => {
    const { subscription_id } = await buySeats(3);
    const address = email();
    const first = await assign({ subscription_id, external_member_id: 'new-one', email: address });
    expect(first.body).toMatchObject({ email: address, member: { external_id: 'new-one' } });
    await shop.ok('DELETE', `/v1/customer-seats/${first.body.id}`);
    expect(await assign({ subscription_id, external_member_id: 'new-one', email: address })).toMatchObject({
      status: 200,
    });
  });

  test.each<[string, (bought: Any) => object | Promise<object>, number, string]>([
    ['nobody', () => ({}), 400, 'InvalidSeatAssignmentRequest'],
    ['two ways', () => ({ customer_id: newId(), member_id: newId() }), 400, 'InvalidSeatAssignmentRequest'],
    [
      'an address beside a customer',
      () => ({ customer_id: newId(), email: email() }),
      400,
      'InvalidSeatAssignmentRequest',
    ],
    ['an unknown member', () => ({ member_id: newId() }), 400, 'InvalidSeatAssignmentRequest'],
    ['an unknown external member', () => ({ external_member_id: 'x' }), 400, 'InvalidSeatAssignmentRequest'],
    ['an unknown customer', () => ({ customer_id: newId() }), 400, 'InvalidSeatAssignmentRequest'],
    [
      'a member by another address',
      async ({ customer_id }) => {
        const path = `/v1/customers/${customer_id}/members`;
        await shop.ok('POST', path, { email: email(), external_id: 'known' });
        return { external_member_id: 'known', email: email() };
      },
      400,
      'MemberEmailMismatch',
    ],
  ])('is refused when it is %s', async (_who, body, status, error) => {
    const bought = await buySeats(1);
    const { subscription_id } = bought;
    expect(await assign({ subscription_id, ...(await body(bought)) })).toMatchObject({
      status,
      body: { error },
    });
  });

  test('is a customer of its own where an organization has no members', async () => {
    const plain = await commerceUnderTest({
      feature_settings: { member_model_enabled: false, seat_based_pricing_enabled: true },
    });
    const product = plain.product({ recurring_interval: 'month', prices: [seatBased(500)] });
    const { customer_id } = await plain.buy(product.id, { seats: 2, ...OWN_PAGE });
    const [{ id: subscription_id }] = (await plain.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`))
      .items;
    const address = email();
    const seat = await plain.ok('POST', '/v1/customer-seats', { subscription_id, email: address });
    expect(seat).toMatchObject({ member_id: null, member: null, email: address, customer_email: address });
    expect(seat.customer_id).not.toBe(customer_id);
    const [mail] = await plain.told('email.send').then((mails) => mails.filter(({ to }) => to === address));
    const invitation_token = new URL(mail.data.claim_url).searchParams.get('invitation_token');
    const claimed = await plain.request('POST', '/v1/customer-seats/claim', { body: { invitation_token } });
    expect(claimed.body.customer_session_token).toMatch(/^trb_cst_/);
    const { items } = await plain.ok('GET', '/v1/customer-portal/seats/subscriptions', undefined, {
      as: customerSession(plain.organization.id, seat.customer_id),
    });
    expect(items).toMatchObject([{ id: subscription_id }]);
    await plain.ok('DELETE', `/v1/customers/${seat.customer_id}`);
    expect(await plain.ok('GET', `/v1/customer-seats?subscription_id=${subscription_id}`)).toMatchObject({
      seats: [{ status: 'revoked' }],
      available_seats: 2,
    });
    await plain.stop();
  });
});

describe('refused requests', () => {
  test('to give a seat of nothing, of two things, or of what is unknown', async () => {
    const { subscription_id } = await buySeats(1);
    const { order_id } = await buyOnce(1);
    const invalid = { status: 400, body: { error: 'InvalidSeatAssignmentRequest' } };
    expect(await assign({ email: email() })).toMatchObject(invalid);
    expect(await assign({ subscription_id, order_id, email: email() })).toMatchObject(invalid);
    const missing = { status: 404, body: { error: 'ResourceNotFound' } };
    expect(await assign({ subscription_id: newId(), email: email() })).toMatchObject(missing);
    expect(await assign({ order_id: newId(), email: email() })).toMatchObject(missing);
    const stranger = { as: organizationToken(shop.otherOrganization().id) };
    expect(await assign({ subscription_id, email: email() }, stranger)).toMatchObject(missing);
  });

  test('to give a seat of what has none, or is over', async () => {
    const plain = shop.product({ recurring_interval: 'month', prices: [fixed(1_000)] });
    const { customer_id } = await shop.buy(plain.id);
    const [{ id }] = (await shop.ok('GET', `/v1/subscriptions/?customer_id=${customer_id}`)).items;
    const unavailable = { status: 400, body: { error: 'SeatNotAvailable' } };
    expect(await assign({ subscription_id: id, email: email() })).toMatchObject(unavailable);
    expect(await list(`subscription_id=${id}`)).toEqual({ seats: [], available_seats: 0, total_seats: 0 });
    const { subscription_id } = await buySeats(2);
    const address = email();
    await assign({ subscription_id, email: address });
    const token = await invitationTo(address);
    await shop.ok('DELETE', `/v1/subscriptions/${subscription_id}`);
    expect(await assign({ subscription_id, email: email() })).toMatchObject(unavailable);
    expect(await claim(token)).toMatchObject({ status: 400, body: { error: 'InvalidInvitationToken' } });
  });

  test('where seats are not sold', async () => {
    const { subscription_id } = await buySeats(1);
    const { organization } = shop;
    await shop.publish('organizations', { ...organization, feature_settings: {} } as Any);
    const off = { status: 403, body: { error: 'FeatureNotEnabled' } };
    expect(await assign({ subscription_id, email: email() })).toMatchObject(off);
    expect(await shop.api('GET', `/v1/customer-seats?subscription_id=${subscription_id}`)).toMatchObject(off);
    await shop.publish('organizations', organization);
  });

  test('of another organization, or by a colleague who may only read', async () => {
    const { subscription_id } = await buySeats(1);
    const { body: seat } = await assign({ subscription_id, email: email() });
    const stranger = { as: organizationToken(shop.otherOrganization().id) };
    const token = personalToken([shop.organization.id]);
    const reader = {
      as: { ...token, organizations: [{ id: shop.organization.id, role: 'member' as const }] },
    };
    for (const [method, target] of [
      ['DELETE', `/v1/customer-seats/${seat.id}`],
      ['POST', `/v1/customer-seats/${seat.id}/resend`],
    ] as const) {
      expect(await shop.api(method, target, undefined, stranger)).toMatchObject({ status: 404 });
      expect(await shop.api(method, target, undefined, reader)).toMatchObject({
        status: 403,
        body: { error: 'NotPermitted' },
      });
      expect(await shop.api(method, target.replace(seat.id, newId()))).toMatchObject({ status: 404 });
      expect(await shop.api(method, target.replace(seat.id, 'x'))).toMatchObject({ status: 422 });
    }
    expect(
      await shop.api('GET', `/v1/customer-seats?subscription_id=${subscription_id}`, undefined, stranger),
    ).toMatchObject({ status: 404 });
  });

  test('to list the seats of nothing, or of two things', async () => {
    for (const query of ['', `?subscription_id=${newId()}&order_id=${newId()}`, '?subscription_id=x']) {
      expect(await shop.api('GET', `/v1/customer-seats${query}`)).toMatchObject({ status: 422 });
    }
  });

  test.each<[string, unknown]>([
    ['an address that is none', { email: 'ada' }],
    ['a subscription that is none', { subscription_id: 'x' }],
    [
      'eleven keys of metadata',
      { metadata: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`k${i}`, 1])) },
    ],
    ['too much metadata', { metadata: { text: 'x'.repeat(1_100) } }],
    ['an answer that is neither yes nor no', { immediate_claim: 'yes' }],
    ['a list', []],
  ])('with %s', async (_what, body) => {
    const { status } = await assign(Array.isArray(body) ? body : { email: email(), ...(body as object) });
    expect(status).toBe(422);
  });

  test('to claim with nothing', async () => {
    for (const body of [
      {},
      { invitation_token: '' },
      { invitation_token: 1 },
      { invitation_token: 'x'.repeat(500) },
    ])
      expect(await shop.request('POST', '/v1/customer-seats/claim', { body })).toMatchObject({ status: 422 });
  });
});

describe('in the portal', () => {
  const portal = (as: Any) => ({
    api: (method: string, target: string, body?: unknown) =>
      shop.request(method, `/v1/customer-portal${target}`, { as, body }),
  });
  const asCustomer = (customerId: string) => portal(customerSession(shop.organization.id, customerId));
  const asMember = (customerId: string, memberId: string, role?: Any) =>
    portal(memberSession(shop.organization.id, customerId, memberId, role));

  test('a customer gives, renews and takes seats', async () => {
    const { customer_id, subscription_id } = await buySeats(2);
    const me = asCustomer(customer_id);
    const { body: seat } = await me.api('POST', '/seats', { subscription_id, email: email() });
    expect(seat).toMatchObject({ status: 'pending', subscription_id });
    expect(await me.api('GET', `/seats?subscription_id=${subscription_id}`)).toMatchObject({
      status: 200,
      body: { seats: [{ id: seat.id }], available_seats: 1, total_seats: 2 },
    });
    expect(await me.api('POST', `/seats/${seat.id}/resend`)).toMatchObject({ status: 200 });
    expect(await me.api('DELETE', `/seats/${seat.id}`)).toMatchObject({ body: { status: 'revoked' } });
  });

  test('seats may be given by naming the checkout', async () => {
    const product = teamPlan();
    const checkout = await shop.buy(product.id, { seats: 2, ...OWN_PAGE });
    const me = asCustomer(checkout.customer_id);
    const given = await me.api('POST', '/seats', { checkout_id: checkout.id, email: email() });
    expect(given).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(await me.api('POST', '/seats', { checkout_id: newId(), email: email() })).toMatchObject({
      status: 404,
    });
  });

  test('members may with a billing role, and not without', async () => {
    const { customer_id, subscription_id } = await buySeats(2);
    const { body: seat } = await assign({ subscription_id, email: email(), immediate_claim: true });
    const target = `/seats?subscription_id=${subscription_id}`;
    expect(await asMember(customer_id, newId(), 'billing_manager').api('GET', target)).toMatchObject({
      status: 200,
    });
    const plain = asMember(customer_id, seat.member_id);
    const denied = { status: 403, body: { error: 'NotPermitted' } };
    expect(await plain.api('GET', target)).toMatchObject(denied);
    expect(await plain.api('POST', '/seats', { subscription_id, email: email() })).toMatchObject(denied);
    expect(await plain.api('DELETE', `/seats/${seat.id}`)).toMatchObject(denied);
    expect(await plain.api('POST', `/seats/${seat.id}/resend`)).toMatchObject(denied);
  });

  test("another customer's seats are not found", async () => {
    const { subscription_id } = await buySeats(1);
    const { body: seat } = await assign({ subscription_id, email: email() });
    const other = asCustomer((await buySeats(1)).customer_id);
    for (const [method, target, body] of [
      ['GET', `/seats?subscription_id=${subscription_id}`, undefined],
      ['POST', '/seats', { subscription_id, email: email() }],
      ['DELETE', `/seats/${seat.id}`, undefined],
      ['POST', `/seats/${seat.id}/resend`, undefined],
    ] as const) {
      expect(await other.api(method, target, body)).toMatchObject({ status: 404 });
    }
  });

  test('each sees the subscriptions they have claimed a seat of', async () => {
    const one = await buySeats(2);
    const { body: seat } = await assign({ subscription_id: one.subscription_id, email: email() });
    const me = asMember(one.customer_id, seat.member_id);
    const mine = async () => (await me.api('GET', '/seats/subscriptions')).body;
    expect(await mine()).toEqual({ items: [], pagination: { total_count: 0, max_page: 0 } });
    await claim(await invitationTo(seat.email));
    expect(await mine()).toMatchObject({
      items: [
        {
          id: one.subscription_id,
          status: 'active',
          seats: 2,
          amount: 1_000,
          customer_id: one.customer_id,
          product: {
            id: one.product.id,
            organization: { id: shop.organization.id, slug: shop.organization.slug },
          },
          prices: [{ amount_type: 'seat_based' }],
          meters: [],
          pending_update: null,
        },
      ],
      pagination: { total_count: 1, max_page: 1 },
    });
    expect(JSON.stringify(await mine())).not.toContain('"metadata"');
    const colleague = asMember(one.customer_id, newId());
    expect((await colleague.api('GET', '/seats/subscriptions')).body.items).toEqual([]);
    const wholeTeam = await asCustomer(one.customer_id).api('GET', '/seats/subscriptions');
    expect(wholeTeam.body.items).toMatchObject([{ id: one.subscription_id }]);
    const elsewhere = asCustomer((await buySeats(1)).customer_id);
    expect((await elsewhere.api('GET', '/seats/subscriptions')).body.items).toEqual([]);
    await shop.ok('DELETE', `/v1/customer-seats/${seat.id}`);
    expect((await mine()).items).toEqual([]);
  });

  test('claimed subscriptions come in pages, the newest first', async () => {
    const { customer_id, subscription_id } = await buySeats(2);
    const holder = email();
    await assign({ subscription_id, email: holder, immediate_claim: true });
    const { items } = (await asCustomer(customer_id).api('GET', '/seats/subscriptions?limit=1&page=1')).body;
    expect(items).toHaveLength(1);
    expect((await asCustomer(customer_id).api('GET', '/seats/subscriptions?page=2')).body.items).toEqual([]);
    expect(await asCustomer(customer_id).api('GET', '/seats/subscriptions?page=0')).toMatchObject({
      status: 422,
    });
    expect(await asCustomer(customer_id).api('GET', '/seats/subscriptions?limit=1000')).toMatchObject({
      status: 200,
    });
  });

  test('a merchant has no business there', async () => {
    expect(await portal(shop.merchant).api('GET', '/seats/subscriptions')).toMatchObject({
      status: 401,
      body: { error: 'Unauthorized' },
    });
  });
});

test('deleting a customer for good leaves no address on its seats', async () => {
  const { customer_id, subscription_id } = await buySeats(2);
  const address = email();
  await assign({ subscription_id, email: address, metadata: { desk: address } });
  await shop.emptyOutbox();
  await shop.ok('DELETE', `/v1/customers/${customer_id}?anonymize=true`);
  const rows = await shop.app.db.query('select * from customer_seats where buyer_id = $1', [customer_id]);
  expect(rows).toMatchObject([{ status: 'revoked', email: null, seat_metadata: null }]);
  expect(JSON.stringify(await shop.outbox())).not.toContain(address);
});
