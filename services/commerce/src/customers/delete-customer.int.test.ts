import { newId } from '@tributary/proto/id.ts';
import { buyer, type CommerceUnderTest, commerceUnderTest } from '../testing/commerce.ts';
import { seatBased } from '../testing/copies.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

const subscriber = async (body: object = {}) => {
  const details = { ...buyer(), external_customer_id: newId(), ...body };
  const product = commerce.product({ recurring_interval: 'month' });
  const bought = await commerce.buy(product.id, details);
  return { id: bought.customer_id as string, checkoutId: bought.id as string, ...details };
};

describe('deleting a customer', () => {
  test('by external id ends subscriptions, members and sessions at once and tells of it', async () => {
    const { id, external_customer_id } = await subscriber();
    await commerce.emptyOutbox();
    const answer = await commerce.api('DELETE', `/v1/customers/external/${external_customer_id}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);

    const { items } = await commerce.ok('GET', `/v1/subscriptions/?customer_id=${id}`);
    expect(items).toMatchObject([
      {
        status: 'canceled',
        ended_at: commerce.clock.now().toISOString(),
        customer: { id, external_id: null },
      },
    ]);
    expect((await commerce.ok('GET', `/v1/members/?customer_id=${id}`)).items).toEqual([]);
    expect(commerce.sessions.ended).toContain(id);
    expect(await commerce.webhooks()).toEqual(
      expect.arrayContaining([
        'customer.deleted',
        'subscription.canceled',
        'subscription.revoked',
        'member.deleted',
      ]),
    );
    expect((await commerce.told('customer.deleted'))[0]).toMatchObject({
      external_customer_id,
      metadata: { customer_id: id, customer_external_id: external_customer_id },
    });
    const [state] = await commerce.told('customers.changed');
    expect(state).toMatchObject({
      deleted_at: commerce.clock.now().toISOString(),
      external_id: null,
      metadata: { __external_id: external_customer_id },
    });
    expect((await commerce.told('subscriptions.changed')).at(-1)).toMatchObject({ status: 'canceled' });
  });

  test('frees address and external id, and is a 404 the second time', async () => {
    const { external_customer_id, customer_email } = await subscriber();
    const path = `/v1/customers/external/${external_customer_id}`;
    await commerce.ok('DELETE', path);
    expect((await commerce.api('DELETE', path)).status).toBe(404);
    expect((await commerce.api('GET', path)).status).toBe(404);
    const again = { email: customer_email, external_id: external_customer_id };
    expect((await commerce.api('POST', '/v1/customers/', again)).status).toBe(201);
  });

  test('keeps what was sold readable', async () => {
    const { id, customer_email } = await subscriber();
    await commerce.ok('DELETE', `/v1/customers/${id}`);
    const { items } = await commerce.ok('GET', `/v1/orders/?customer_id=${id}`);
    expect(items).toMatchObject([
      { status: 'paid', customer: { email: customer_email, deleted_at: expect.any(String) } },
    ]);
  });

  test('with anonymize leaves nothing of the person anywhere', async () => {
    const street = {
      country: 'US',
      state: 'NY',
      city: 'Utica',
      postal_code: '13501',
      line1: '9 Quirk Alley',
    };
    const person = await subscriber({
      customer_name: 'Zelda Quirk',
      customer_billing_address: street,
      customer_ip_address: '203.0.113.8',
    });
    await commerce.ok('POST', '/v1/checkouts/', {
      products: [commerce.product().id],
      customer_email: person.customer_email,
      customer_name: 'Zelda Quirk',
    });
    await commerce.emptyOutbox();
    await commerce.ok('DELETE', `/v1/customers/${person.id}?anonymize=true`);
    const kept = await everything();
    for (const trace of [person.customer_email, 'Zelda', 'Quirk', 'Utica', '203.0.113.8']) {
      expect([trace, kept.filter(({ row }) => row.includes(trace)).map(({ table }) => table)]).toEqual([
        trace,
        [],
      ]);
    }
    const [state] = await commerce.told('customers.changed');
    expect(state).toMatchObject({
      email: expect.stringMatching(/@anonymized\.invalid$/),
      billing_address: null,
      metadata: { __anonymized_at: commerce.clock.now().toISOString() },
    });
    const { items } = await commerce.ok('GET', `/v1/orders/?customer_id=${person.id}`);
    expect(items[0]).toMatchObject({
      billing_name: expect.stringMatching(/^[0-9a-f]{64}$/),
      billing_address: { country: 'US', state: 'US-NY', line1: null },
      total_amount: 1_000,
    });
  });

  test('with anonymize leaves no state behind that names the person, not even of what had ended before', async () => {
    const product = commerce.product({ recurring_interval: 'month', prices: [seatBased(500)] });
    const bought = await commerce.buy(product.id, { seats: 3, customer_name: 'Olga Ought' });
    const customer = await commerce.ok('GET', `/v1/customers/${bought.customer_id}`);
    const { items } = await commerce.ok('GET', `/v1/subscriptions/?customer_id=${customer.id}`);
    const email = `omar-${newId().slice(-12)}@ought.example`;
    await commerce.ok('POST', '/v1/customer-seats', { subscription_id: items[0].id, email });
    await commerce.ok('PATCH', `/v1/subscriptions/${items[0].id}`, {
      revoke: true,
      customer_cancellation_comment: 'Ought has left',
    });
    for (const query of ['', '?anonymize=true'])
      await commerce.ok('DELETE', `/v1/customers/${customer.id}${query}`);
    const words = ['Ought', 'ought.example', customer.email];
    const states = new Map(
      (await commerce.outbox())
        .filter((row) => row.topic.startsWith('tributary.state.'))
        .map((row) => [`${row.topic} ${row.key}`, JSON.stringify(row.value)]),
    );
    const naming = [...states].filter(([, value]) => words.some((text) => value.includes(text)));
    expect(naming).toEqual([]);
    expect([...states.keys()].join()).toContain('customer_seats');
  });

  test('with anonymize is not kept from it by what a merchant wrote into the metadata', async () => {
    const person = await subscriber();
    const metadata = { __anonymized_at: '2020-01-01T00:00:00Z', __external_id: 'forged', plan: 'gold' };
    await commerce.ok('PATCH', `/v1/customers/${person.id}`, { metadata });
    await commerce.emptyOutbox();
    await commerce.ok('DELETE', `/v1/customers/${person.id}?anonymize=true`);
    expect((await commerce.told('customers.changed')).at(-1)).toMatchObject({
      email: expect.stringMatching(/@anonymized\.invalid$/),
      metadata: {
        __anonymized_at: commerce.clock.now().toISOString(),
        __external_id: person.external_customer_id,
        plan: 'gold',
      },
    });
  });

  test('with anonymize leaves no answer to be replayed, and what was set aside says nothing', async () => {
    const key = newId();
    const body = { email: `kim-${newId()}@example.com`, name: 'Kim Kept' };
    const headers = { 'idempotency-key': key };
    const made = await commerce.ok('POST', '/v1/customers/', body, { headers });
    await commerce.app.db.query(
      `insert into parked_messages (consumer, event_id, topic, message, error) values ('some', $1, 'some', $2, 'Kim')`,
      [newId(), { key: made.id, type: 'customers.changed', value: { name: 'Kim Kept' } }],
    );
    await commerce.ok('DELETE', `/v1/customers/${made.id}?anonymize=true`);
    const again = await commerce.api('POST', '/v1/customers/', body, { headers });
    expect([again.status, again.body.error]).toEqual([410, 'ResourceUnavailable']);
    const [parked] = await commerce.app.db.query('select parked::text as row from parked_messages parked');
    expect([parked.row.includes(made.id), parked.row.includes('Kim')]).toEqual([true, false]);
  });

  test('with anonymize works by external id, and any other value of it is a 422', async () => {
    const { id, external_customer_id } = await subscriber();
    const path = `/v1/customers/external/${external_customer_id}?anonymize=`;
    const refused = await commerce.api('DELETE', `${path}perhaps`);
    expect([refused.status, refused.body.detail[0].loc]).toEqual([422, ['query', 'anonymize']]);
    await commerce.ok('DELETE', `${path}true`);
    const { items } = await commerce.ok('GET', `/v1/orders/?customer_id=${id}`);
    expect(items[0].customer.name).toMatch(/^[0-9a-f]{64}$/);
  });

  test('with anonymize can follow a deletion that kept the data, and changes nothing the second time', async () => {
    const person = await subscriber({ customer_name: 'Wendy Vex' });
    await commerce.ok('DELETE', `/v1/customers/${person.id}`);
    expect((await commerce.api('DELETE', `/v1/customers/${person.id}`)).status).toBe(404);
    await commerce.emptyOutbox();
    await commerce.ok('DELETE', `/v1/customers/${person.id}?anonymize=true`);
    const kept = await everything();
    expect(kept.filter(({ row }) => row.includes('Wendy') || row.includes(person.customer_email))).toEqual(
      [],
    );
    expect(await commerce.told('customers.changed')).toHaveLength(1);
    await commerce.ok('DELETE', `/v1/customers/${person.id}?anonymize=true`);
    expect(await commerce.told('customers.changed')).toHaveLength(1);
  });

  test('revokes the seats it bought', async () => {
    const product = commerce.product({ recurring_interval: 'month', prices: [seatBased(500)] });
    const bought = await commerce.buy(product.id, { seats: 2 });
    await commerce.emptyOutbox();
    await commerce.ok('DELETE', `/v1/customers/${bought.customer_id}`);
    expect(await commerce.webhooks()).toContain('customer_seat.revoked');
  });
});

/** Every row of every table but the sandbox's, as text. */
async function everything(): Promise<{ table: string; row: string }[]> {
  const { db } = commerce.app;
  const tables: { table_name: string }[] = await db.query(
    `select table_name from information_schema.tables where table_schema = 'public' and table_name <> 'idempotency_keys'`,
  );
  const rows = await Promise.all(
    tables.map(async ({ table_name: table }) =>
      (await db.query(`select row::text from "${table}" as row`)).map(({ row }: { row: string }) => ({
        table,
        row,
      })),
    ),
  );
  return rows.flat();
}
