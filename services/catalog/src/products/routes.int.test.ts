import { newId } from '@tributary/proto/id.ts';
import { organizationToken, personalToken, readerOf } from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest, organizationCopy } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const fixed = { amount_type: 'fixed', price_amount: 1000 };
const oneTime = { name: 'Book', prices: [fixed] };
const create = (body: object) => catalog.api('POST', '/v1/products/', body);
const update = (id: string, body: object) => catalog.api('PATCH', `/v1/products/${id}`, body);
const locsOf = (answer: { status: number; body: { detail: { loc: unknown[] }[] } }) => {
  expect(answer.status).toBe(422);
  return answer.body.detail.map((issue) => issue.loc.join('.'));
};

describe('creating a product', () => {
  test('answers with all that was given and all that follows from it', async () => {
    const meter = catalog.meter({
      name: 'Tokens',
      unit: 'custom',
      custom_label: 'MTok',
      custom_multiplier: 1_000_000,
    });
    const field = await catalog.make('/v1/custom-fields/', {
      type: 'text',
      slug: 'vat',
      name: 'VAT',
      properties: {},
    });
    const { status, body } = await create({
      name: 'Pro plan',
      description: 'Everything',
      visibility: 'private',
      recurring_interval: 'month',
      trial_interval: 'week',
      trial_interval_count: 2,
      meter_interval: null,
      metadata: { tier: 'pro', rank: 2, beta: true },
      prices: [
        { amount_type: 'custom', minimum_amount: 500, preset_amount: 700, tax_behavior: 'location' },
        { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: 0.25, cap_amount: 10_000 },
      ],
      attached_custom_fields: [{ custom_field_id: field.id, required: true }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      modified_at: null,
      name: 'Pro plan',
      description: 'Everything',
      visibility: 'private',
      recurring_interval: 'month',
      recurring_interval_count: 1,
      trial_interval: 'week',
      trial_interval_count: 2,
      meter_interval: null,
      meter_interval_count: null,
      is_recurring: true,
      is_archived: false,
      organization_id: catalog.organization.id,
      metadata: { tier: 'pro', rank: 2, beta: true },
      benefits: [],
      medias: [],
      attached_custom_fields: [
        { custom_field_id: field.id, custom_field: { slug: 'vat' }, order: 0, required: true },
      ],
    });
    expect(body.prices).toEqual([
      expect.objectContaining({
        amount_type: 'custom',
        source: 'catalog',
        price_currency: 'usd',
        tax_behavior: null,
        minimum_amount: 500,
        maximum_amount: null,
        preset_amount: 700,
        product_id: body.id,
        is_archived: false,
      }),
      expect.objectContaining({
        amount_type: 'metered_unit',
        unit_amount: '0.25',
        cap_amount: 10_000,
        meter_id: meter.id,
        meter: {
          id: meter.id,
          name: 'Tokens',
          unit: 'custom',
          custom_label: 'MTok',
          custom_multiplier: 1_000_000,
        },
      }),
    ]);
    expect((await catalog.api('GET', `/v1/products/${body.id}`)).body).toEqual(body);
    expect(await catalog.told('products.changed', body.id)).toEqual([body]);
    expect(await catalog.told('product.created', body.id)).toEqual([
      expect.objectContaining({
        type: 'product.created',
        organization_id: catalog.organization.id,
        data: body,
      }),
    ]);
  });

  test('a seat price tells its bounds', async () => {
    const tiers = [
      { min_seats: 2, max_seats: 9, price_per_seat: 1000 },
      { min_seats: 10, max_seats: null, price_per_seat: 800 },
    ];
    const { body } = await create({
      ...oneTime,
      recurring_interval: 'year',
      prices: [{ amount_type: 'seat_based', seat_tiers: { tiers } }],
    });
    expect(body.prices[0].seat_tiers).toEqual({
      seat_tier_type: 'volume',
      tiers,
      minimum_seats: 2,
      maximum_seats: null,
    });
  });

  test('a free price of an older client is a fixed one of zero', async () => {
    const { body } = await create({ ...oneTime, prices: [{ amount_type: 'free' }] });
    expect(body.prices[0]).toMatchObject({ amount_type: 'fixed', price_amount: 0 });
  });

  test('a custom price nobody set a minimum for can be charged in its currency', async () => {
    const prices = [{ amount_type: 'custom' }, { amount_type: 'custom', price_currency: 'czk' }];
    const { body } = await create({ ...oneTime, prices });
    expect(body.prices.map((price: { minimum_amount: number }) => price.minimum_amount)).toEqual([50, 1500]);
  });

  test.each<[string, object, string[]]>([
    ['a short name', { name: 'ab' }, ['body.name']],
    ['a long name', { name: 'a'.repeat(65) }, ['body.name']],
    ['no prices', { prices: [] }, ['body.prices']],
    ['no price at all', { prices: undefined }, ['body.prices']],
    [
      'a price below the minimum',
      { prices: [{ ...fixed, price_amount: 49 }] },
      ['body.prices.0.price_amount'],
    ],
    [
      'a price beyond 32 bits',
      { prices: [{ ...fixed, price_amount: 2 ** 31 }] },
      ['body.prices.0.price_amount'],
    ],
    ['a fraction of a cent', { prices: [{ ...fixed, price_amount: 10.5 }] }, ['body.prices.0.price_amount']],
    [
      'an unknown currency',
      { prices: [{ ...fixed, price_currency: 'USD' }] },
      ['body.prices.0.price_currency'],
    ],
    ['an unknown type', { prices: [{ amount_type: 'auction' }] }, ['body.prices.0.amount_type']],
    ['no default currency', { prices: [{ ...fixed, price_currency: 'eur' }] }, ['body.prices']],
    ['an unknown visibility', { visibility: 'secret' }, ['body.visibility']],
    ['an unknown interval', { recurring_interval: 'fortnight' }, ['body.recurring_interval']],
    [
      'a zero count',
      { recurring_interval: 'month', recurring_interval_count: 0 },
      ['body.recurring_interval_count'],
    ],
    [
      'a trial without its count',
      { recurring_interval: 'month', trial_interval: 'day' },
      ['body.trial_interval_count'],
    ],
    [
      'a trial that is too long',
      { recurring_interval: 'month', trial_interval: 'day', trial_interval_count: 1001 },
      ['body.trial_interval_count'],
    ],
    [
      'a metering period that does not fit',
      { recurring_interval: 'month', meter_interval: 'week' },
      ['body.meter_interval'],
    ],
    ['nested metadata', { metadata: { a: { b: 1 } } }, ['body.metadata.a']],
    [
      'too much metadata',
      { metadata: Object.fromEntries([...Array(51).keys()].map((n) => [`k${n}`, 1])) },
      ['body.metadata'],
    ],
    ['a NUL', { name: `a${String.fromCharCode(0)}bc` }, ['body.name']],
    ['an unknown media', { medias: [newId()] }, ['body.medias.0']],
    [
      'an unknown custom field',
      { attached_custom_fields: [{ custom_field_id: newId(), required: true }] },
      ['body.attached_custom_fields.0.custom_field_id'],
    ],
    [
      'an unknown meter',
      {
        recurring_interval: 'month',
        prices: [fixed, { amount_type: 'metered_unit', meter_id: newId(), unit_amount: '1' }],
      },
      ['body.prices.1.meter_id'],
    ],
    [
      'a malformed meter',
      {
        recurring_interval: 'month',
        prices: [{ amount_type: 'metered_unit', meter_id: 'x', unit_amount: '1' }],
      },
      ['body.prices.0.meter_id'],
    ],
    ['its organization, which the token says', { organization_id: newId() }, ['body.organization_id']],
  ])('refuses %s', async (_name, given, locs) => {
    expect(locsOf(await create({ ...oneTime, ...given }))).toEqual(locs);
  });

  test.each(['0', '-1', '1e3', '0.0000000000001', '100000', 'NaN', '', 0, -2, null, true])(
    'refuses a unit amount of %j',
    async (unit_amount) => {
      const prices = [{ amount_type: 'metered_unit', meter_id: catalog.meter().id, unit_amount }];
      expect(locsOf(await create({ ...oneTime, recurring_interval: 'month', prices }))).toEqual([
        'body.prices.0.unit_amount',
      ]);
    },
  );

  test("refuses an archived meter and another organization's", async () => {
    const meters = [
      catalog.meter({ archived_at: '2026-01-01T00:00:00Z' }),
      catalog.meter({ organization_id: newId() }),
    ];
    const prices = meters.map(({ id }) => ({ amount_type: 'metered_unit', meter_id: id, unit_amount: '1' }));
    expect(locsOf(await create({ ...oneTime, recurring_interval: 'month', prices }))).toEqual([
      'body.prices.0.meter_id',
      'body.prices.1.meter_id',
    ]);
  });

  test('asks a user for the organization, unless there is only one it could be', async () => {
    const other = organizationCopy();
    catalog.elsewhere.put('organizations', other);
    const user = personalToken([catalog.organization.id, other.id]);
    expect(locsOf(await catalog.api('POST', '/v1/products/', oneTime, { as: user }))).toEqual([
      'body.organization_id',
    ]);
    const named = { ...oneTime, organization_id: other.id };
    expect((await catalog.api('POST', '/v1/products/', named, { as: user })).body.organization_id).toBe(
      other.id,
    );
    const foreign = { ...oneTime, organization_id: newId() };
    expect(locsOf(await catalog.api('POST', '/v1/products/', foreign, { as: user }))).toEqual([
      'body.organization_id',
    ]);
    const limited = { ...personalToken([other.id]), is_limited: true };
    expect((await catalog.api('POST', '/v1/products/', oneTime, { as: limited })).status).toBe(201);
  });

  test('repeated under one idempotency key makes one product', async () => {
    const headers = { 'idempotency-key': 'make it once' };
    const [first, second] = [
      await catalog.api('POST', '/v1/products/', oneTime, { headers }),
      await catalog.api('POST', '/v1/products/', oneTime, { headers }),
    ];
    expect(second.body).toEqual(first.body);
    expect(await catalog.told('product.created', first.body.id)).toHaveLength(1);
  });
});

describe('updating a product', () => {
  test('keeps the prices named, adds new ones and archives the others', async () => {
    const meter = catalog.meter();
    const product = await catalog.product({
      prices: [fixed, { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: '1' }],
    });
    const [first, second] = product.prices;
    const { status, body } = await update(product.id, {
      prices: [{ id: second.id }, { ...fixed, price_amount: 2000 }],
    });
    expect(status).toBe(200);
    expect(body.prices.map((price: { id: string }) => price.id)[0]).toBe(second.id);
    expect(body.prices[1]).toMatchObject({ price_amount: 2000 });
    expect(body.modified_at).not.toBeNull();
    const rows: { is_archived: boolean }[] = await catalog.app.db.query(
      'select is_archived from prices where id = $1',
      [first.id],
    );
    expect(rows).toEqual([{ is_archived: true }]);
    expect(locsOf(await update(product.id, { prices: [{ id: first.id }] }))).toContain('body.prices.0.id');
    expect(await catalog.told('product.updated', product.id)).toHaveLength(1);
  });

  test('checks kept and new prices together', async () => {
    const product = await catalog.product();
    const [price] = product.prices;
    expect(locsOf(await update(product.id, { prices: [{ id: price.id }, fixed] }))).toEqual([
      'body.prices.1',
    ]);
    expect(locsOf(await update(product.id, { prices: [] }))).toEqual(['body.prices']);
    expect((await catalog.api('GET', `/v1/products/${product.id}`)).body).toEqual(product);
  });

  test('changes only what is sent; null clears what may be empty', async () => {
    const product = await catalog.product({ description: 'Old', metadata: { a: 1, b: 2 } });
    const { body } = await update(product.id, { metadata: { c: 3 }, name: null, visibility: null });
    expect(body).toMatchObject({ name: 'Pro', description: 'Old', visibility: 'public', metadata: { c: 3 } });
    expect((await update(product.id, { description: null })).body.description).toBeNull();
  });

  test('archives and restores', async () => {
    const product = await catalog.product();
    expect((await update(product.id, { is_archived: true })).body.is_archived).toBe(true);
    expect((await update(product.id, { is_archived: false })).body.is_archived).toBe(false);
  });

  test('does not change how often it recurs, and gives a trial only to what recurs', async () => {
    const product = await catalog.product();
    expect(locsOf(await update(product.id, { recurring_interval: 'year' }))).toEqual([
      'body.recurring_interval',
    ]);
    expect((await update(product.id, { recurring_interval: 'month' })).status).toBe(200);
    expect(locsOf(await update(product.id, { trial_interval: 'day' }))).toEqual([
      'body.trial_interval_count',
    ]);
    const trial = { trial_interval: 'day', trial_interval_count: 7 };
    expect((await update(product.id, trial)).body).toMatchObject(trial);
    expect(locsOf(await update(product.id, { trial_interval: null }))).toEqual(['body.trial_interval']);
    const book = await catalog.make('/v1/products/', oneTime);
    expect(locsOf(await update(book.id, trial))).toEqual(['body.trial_interval']);
  });

  test("is refused for another organization's product", async () => {
    const product = await catalog.product();
    const stranger = organizationToken(newId());
    for (const [method, path, body] of [
      ['GET', `/v1/products/${product.id}`, undefined],
      ['PATCH', `/v1/products/${product.id}`, { name: 'Mine now' }],
      ['POST', `/v1/products/${product.id}/benefits`, { benefits: [] }],
    ] as const) {
      const answer = await catalog.api(method, path, body, { as: stranger });
      expect([answer.status, answer.body.error]).toEqual([404, 'ResourceNotFound']);
    }
  });

  test('is refused to a user whose role only reads', async () => {
    const product = await catalog.product();
    const member = readerOf(catalog.organization.id);
    const answer = await catalog.api(
      'PATCH',
      `/v1/products/${product.id}`,
      { name: 'Theirs' },
      { as: member },
    );
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
    expect((await catalog.api('GET', `/v1/products/${product.id}`, undefined, { as: member })).status).toBe(
      200,
    );
  });
});

describe('the benefits of a product', () => {
  test('are set in order and embedded', async () => {
    const [a, b] = [await catalog.benefit('custom'), await catalog.benefit('feature_flag')];
    const product = await catalog.product({}, [b, a]);
    expect(product.benefits.map((benefit: { id: string }) => benefit.id)).toEqual([b.id, a.id]);
    const answer = await catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [a.id] });
    expect(answer.body.benefits).toEqual([a]);
  });

  test('must exist, in this organization, once', async () => {
    const benefit = await catalog.benefit('custom');
    const product = await catalog.product();
    const set = (benefits: string[]) =>
      catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits });
    expect(locsOf(await set([newId(), benefit.id, benefit.id]))).toEqual([
      'body.benefits.0',
      'body.benefits.2',
    ]);
    expect(locsOf(await set(['x']))).toEqual(['body.benefits.0']);
  });

  test('stay when the merchant may not choose them', async () => {
    const benefit = await catalog.benefit('custom');
    const product = await catalog.product();
    const set = (benefits: string[]) =>
      catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits });
    const lock = (selectable: boolean) =>
      catalog.app.db.query('update benefits set selectable = $2 where id = $1', [benefit.id, selectable]);
    await lock(false);
    expect(locsOf(await set([benefit.id]))).toEqual(['body.benefits.0']);
    await lock(true);
    expect((await set([benefit.id])).status).toBe(200);
    await lock(false);
    expect(locsOf(await set([]))).toEqual(['body.benefits']);
  });
});

test('a product is published anew when what it embeds changes', async () => {
  const meter = catalog.meter();
  const benefit = await catalog.benefit('custom');
  const field = await catalog.make('/v1/custom-fields/', {
    type: 'text',
    slug: 'note',
    name: 'Note',
    properties: {},
  });
  const product = await catalog.product(
    {
      prices: [fixed, { amount_type: 'metered_unit', meter_id: meter.id, unit_amount: '1' }],
      attached_custom_fields: [{ custom_field_id: field.id, required: false }],
    },
    [benefit],
  );
  const newest = async () => (await catalog.told('products.changed', product.id)).at(-1);
  await catalog.publish('meters', meter.id, { ...meter, name: 'Renamed' });
  await catalog.settle();
  expect((await newest()).prices[1].meter.name).toBe('Renamed');
  await catalog.api('PATCH', `/v1/benefits/${benefit.id}`, { type: 'custom', description: 'Better' });
  await catalog.settle();
  expect((await newest()).benefits[0].description).toBe('Better');
  await catalog.api('PATCH', `/v1/custom-fields/${field.id}`, { type: 'text', name: 'Remark' });
  await catalog.settle();
  expect((await newest()).attached_custom_fields[0].custom_field.name).toBe('Remark');
  await catalog.api('DELETE', `/v1/custom-fields/${field.id}`);
  await catalog.api('DELETE', `/v1/benefits/${benefit.id}`);
  await catalog.settle();
  expect(await newest()).toMatchObject({ benefits: [], attached_custom_fields: [] });
  expect((await catalog.api('GET', `/v1/products/${product.id}`)).body).toMatchObject({
    benefits: [],
    attached_custom_fields: [],
  });
});

describe('the list of products', () => {
  let shop: CatalogUnderTest;
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  let made: any[];
  beforeAll(async () => {
    shop = await catalogUnderTest();
    const flag = await shop.benefit('feature_flag');
    made = [
      await shop.product({ name: 'Cherry 50%', metadata: { color: 'red', rank: 1 } }, [flag]),
      await shop.product({
        name: 'apple',
        visibility: 'draft',
        metadata: { color: 'green' },
        prices: [{ ...fixed, price_amount: 50 }],
      }),
      await shop.make('/v1/products/', {
        name: 'Banana',
        prices: [{ amount_type: 'custom', minimum_amount: 700 }],
      }),
    ];
    await shop.api('PATCH', `/v1/products/${made[2].id}`, { is_archived: true });
  });
  afterAll(() => shop.stop());
  const names = async (query: string) => {
    const { status, body } = await shop.api('GET', `/v1/products/?${query}`);
    expect([status, body.detail]).toEqual([200, undefined]);
    return body.items.map((item: { name: string }) => item.name[0]).join('');
  };

  test.each([
    ['', 'BaC'],
    ['sorting=created_at', 'CaB'],
    ['sorting=name', 'BCa'],
    ['sorting=-name', 'aCB'],
    ['sorting=price_amount', 'aBC'],
    ['sorting=-price_amount', 'CBa'],
    ['sorting=price_amount_type', 'BCa'],
    ['sorting=-price_amount_type&sorting=name', 'CaB'],
    ['query=AN', 'B'],
    ['query=0%25', 'C'],
    ['query=_', ''],
    ['is_archived=true', 'B'],
    ['is_archived=false', 'aC'],
    ['is_recurring=true', 'aC'],
    ['is_recurring=false', 'B'],
    ['visibility=draft', 'a'],
    ['visibility=draft&visibility=public', 'BaC'],
    ['metadata[color]=red', 'C'],
    ['metadata[color]=red&metadata[color]=green', 'aC'],
    ['metadata[color]=red&metadata[rank]=1', 'C'],
    ['metadata[color]=red&metadata[rank]=2', ''],
    [`organization_id=${newId()}`, ''],
    [`benefit_id=${newId()}`, ''],
    ['page=2&limit=2', 'C'],
    ['page=9', ''],
  ])('%s', async (query, expected) => {
    const wanted = await names(query);
    expect(wanted).toBe(expected);
  });

  test('by id and by benefit', async () => {
    expect(await names(`id=${made[0].id}&id=${made[1].id}`)).toBe('aC');
    expect(await names(`benefit_id=${made[0].benefits[0].id}`)).toBe('C');
  });

  test('counts all pages and lowers a large limit', async () => {
    const { body } = await shop.api('GET', '/v1/products/?limit=2');
    expect(body.pagination).toEqual({ total_count: 3, max_page: 2 });
    expect((await shop.api('GET', '/v1/products/?limit=1000')).status).toBe(200);
  });

  test.each([
    'page=0',
    'limit=0',
    'limit=x',
    'id=x',
    'sorting=price',
    'is_archived=maybe',
    'visibility=secret',
  ])('refuses %s', async (query) => {
    const answer = await shop.api('GET', `/v1/products/?${query}`);
    expect(locsOf(answer)[0]).toMatch(`query.${query.split('=')[0]}`);
  });
});
