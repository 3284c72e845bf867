import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const create = (body: object) => catalog.api('POST', '/v1/benefits/', body);
const locsOf = (answer: { status: number; body: { detail: { loc: unknown[] }[] } }) => {
  expect(answer.status).toBe(422);
  return answer.body.detail.map((issue) => issue.loc.join('.'));
};

describe('creating a benefit', () => {
  test.each<[string, object, object, boolean, string]>([
    ['custom', { note: '# Hello' }, { note: '# Hello' }, true, 'public'],
    ['custom', {}, { note: null }, true, 'public'],
    ['feature_flag', {}, {}, true, 'private'],
    [
      'license_keys',
      {},
      { prefix: null, expires: null, activations: null, limit_usage: null },
      true,
      'public',
    ],
    [
      'license_keys',
      {
        prefix: 'app',
        expires: { ttl: 457, timeframe: 'year' },
        activations: { limit: 3, enable_customer_admin: true },
        limit_usage: 5,
      },
      {
        prefix: 'app',
        expires: { ttl: 457, timeframe: 'year' },
        activations: { limit: 3, enable_customer_admin: true },
        limit_usage: 5,
      },
      true,
      'public',
    ],
  ])('%s with %j', async (type, given, properties, visibility_configurable, visibility) => {
    const { status, body } = await create({
      type,
      description: 'A benefit',
      properties: given,
      metadata: { a: 1 },
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      modified_at: null,
      type,
      description: 'A benefit',
      selectable: true,
      deletable: true,
      is_deleted: false,
      organization_id: catalog.organization.id,
      metadata: { a: 1 },
      visibility,
      visibility_configurable,
      properties,
    });
    expect((await catalog.api('GET', `/v1/benefits/${body.id}`)).body).toEqual(body);
    expect(await catalog.told('benefits.changed', body.id)).toEqual([body]);
    expect((await catalog.told('benefit.created', body.id))[0].data).toEqual(body);
  });

  test('of credits names a live meter of the organization', async () => {
    const properties = { units: 10, rollover: false };
    const meters = [
      catalog.meter(),
      catalog.meter({ archived_at: '2026-01-01T00:00:00Z' }),
      catalog.meter({ organization_id: newId() }),
      { id: newId() },
    ];
    const answers = await Promise.all(
      meters.map(({ id }) =>
        create({ type: 'meter_credit', description: 'Credits', properties: { ...properties, meter_id: id } }),
      ),
    );
    expect(answers.map((answer) => answer.status)).toEqual([201, 422, 422, 422]);
    expect(locsOf(answers[2]!)).toEqual(['body.properties.meter_id']);
  });

  test.each<[string, object, string]>([
    ['a short description', { description: 'ab' }, 'body.description'],
    ['a long description', { description: 'a'.repeat(43) }, 'body.description'],
    ['no properties', { properties: undefined }, 'body.properties'],
    ['an unknown type', { type: 'pony' }, 'body.type'],
    ['an unknown visibility', { visibility: 'hidden' }, 'body.visibility'],
    [
      'no activations',
      { type: 'license_keys', properties: { activations: { limit: 0, enable_customer_admin: true } } },
      'body.properties.activations.limit',
    ],
    ['no uses', { type: 'license_keys', properties: { limit_usage: 0 } }, 'body.properties.limit_usage'],
    [
      '458 years',
      { type: 'license_keys', properties: { expires: { ttl: 458, timeframe: 'year' } } },
      'body.properties.expires.ttl',
    ],
    [
      '1201 months',
      { type: 'license_keys', properties: { expires: { ttl: 1201, timeframe: 'month' } } },
      'body.properties.expires.ttl',
    ],
    [
      '36501 days',
      { type: 'license_keys', properties: { expires: { ttl: 36_501, timeframe: 'day' } } },
      'body.properties.expires.ttl',
    ],
    [
      'credits beyond 32 bits',
      { type: 'meter_credit', properties: { units: 2 ** 31, rollover: true, meter_id: newId() } },
      'body.properties.units',
    ],
    ['no files', { type: 'downloadables', properties: { files: [] } }, 'body.properties.files'],
    [
      'an unknown file',
      { type: 'downloadables', properties: { files: [newId()] } },
      'body.properties.files.0',
    ],
    [
      'a choice of visibility where there is none',
      { type: 'downloadables', visibility: 'private', properties: { files: [newId()] } },
      'body.visibility',
    ],
  ])('refuses %s', async (_name, given, loc) => {
    expect(
      locsOf(await create({ type: 'custom', description: 'A benefit', properties: {}, ...given })),
    ).toContain(loc);
  });

  test.each(['discord', 'github_repository', 'slack_shared_channel'])(
    'says that %s is not available yet',
    async (type) => {
      const answer = await create({ type, description: 'A benefit', properties: {} });
      expect(locsOf(answer)).toEqual(['body.type']);
      expect(answer.body.detail[0].msg).toMatch(/not available yet/);
    },
  );
});

describe('updating a benefit', () => {
  test('changes what is sent', async () => {
    const benefit = await catalog.benefit('custom', { note: 'old' }, { metadata: { a: 1 } });
    const { status, body } = await catalog.api('PATCH', `/v1/benefits/${benefit.id}`, {
      type: 'custom',
      visibility: 'draft',
      properties: { note: 'new' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      ...benefit,
      modified_at: expect.any(String),
      visibility: 'draft',
      properties: { note: 'new' },
    });
    expect((await catalog.told('benefit.updated', benefit.id))[0].data).toEqual(body);
  });

  test('cannot change its type, and needs to name it', async () => {
    const benefit = await catalog.benefit('custom');
    const path = `/v1/benefits/${benefit.id}`;
    expect(locsOf(await catalog.api('PATCH', path, { type: 'feature_flag' }))).toEqual(['body.type']);
    expect(locsOf(await catalog.api('PATCH', path, { description: 'Better' }))).toEqual(['body.type']);
  });
});

describe('deleting a benefit', () => {
  test('hides it everywhere', async () => {
    const benefit = await catalog.benefit('custom');
    const answer = await catalog.api('DELETE', `/v1/benefits/${benefit.id}`);
    expect([answer.status, answer.body]).toEqual([204, undefined]);
    for (const path of ['', '/files', '/grants'])
      expect((await catalog.api('GET', `/v1/benefits/${benefit.id}${path}`)).status).toBe(404);
    expect((await catalog.api('DELETE', `/v1/benefits/${benefit.id}`)).status).toBe(404);
    expect((await catalog.api('GET', `/v1/benefits/?id=${benefit.id}`)).body.items).toEqual([]);
    expect(await catalog.told('benefits.deleted', benefit.id)).toEqual([null]);
    expect((await catalog.told('benefit.updated', benefit.id))[0].data).toMatchObject({ is_deleted: true });
  });

  test('is refused for one that must stay', async () => {
    const benefit = await catalog.benefit('custom');
    await catalog.app.db.query('update benefits set deletable = false where id = $1', [benefit.id]);
    const answer = await catalog.api('DELETE', `/v1/benefits/${benefit.id}`);
    expect([answer.status, answer.body.error]).toEqual([403, 'NotPermitted']);
  });
});

test("another organization's benefit does not exist", async () => {
  const benefit = await catalog.benefit('custom');
  const as = organizationToken(newId());
  const path = `/v1/benefits/${benefit.id}`;
  const answers = [
    await catalog.api('GET', path, undefined, { as }),
    await catalog.api('PATCH', path, { type: 'custom' }, { as }),
    await catalog.api('DELETE', path, undefined, { as }),
    await catalog.api('GET', `${path}/files`, undefined, { as }),
    await catalog.api('GET', `${path}/grants`, undefined, { as }),
  ];
  expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 404]);
  expect((await catalog.api('GET', '/v1/benefits/', undefined, { as })).body.pagination.total_count).toBe(0);
});

describe('the list of benefits', () => {
  let shop: CatalogUnderTest;
  const ids: Record<string, string> = {};
  beforeAll(async () => {
    shop = await catalogUnderTest();
    for (const [description, type] of [
      ['bravo', 'custom'],
      ['Alpha', 'license_keys'],
      ['charlie', 'custom'],
    ] as const) {
      const made = await shop.benefit(type, {}, { description, metadata: { first: description[0]! } });
      ids[description] = made.id;
    }
  });
  afterAll(() => shop.stop());
  const initials = async (query: string) => {
    const { status, body } = await shop.api('GET', `/v1/benefits/?${query}`);
    expect(status).toBe(200);
    return body.items.map((item: { description: string }) => item.description[0]).join('');
  };

  test.each([
    ['', 'cAb'],
    ['sorting=created_at', 'bAc'],
    ['sorting=user_order', 'bAc'],
    ['sorting=description', 'Abc'],
    ['sorting=-description', 'cbA'],
    ['sorting=type&sorting=-description', 'cbA'],
    ['sorting=-type', 'Acb'],
    ['type=custom', 'cb'],
    ['type=custom&type=license_keys', 'cAb'],
    ['type=discord', ''],
    ['query=HA', 'cA'],
    ['metadata[first]=b', 'b'],
    ['limit=1&page=2', 'A'],
  ])('%s', async (query, expected) => expect(await initials(query)).toBe(expected));

  test('by ids and without ids', async () => {
    expect(await initials(`id=${ids.bravo}&id=${ids.Alpha}`)).toBe('Ab');
    expect(await initials(`exclude_id=${ids.bravo}&exclude_id=${ids.Alpha}`)).toBe('c');
  });

  test.each(['type=pony', 'id=x', 'exclude_id=x', 'sorting=name'])('refuses %s', async (query) => {
    expect(locsOf(await shop.api('GET', `/v1/benefits/?${query}`))[0]).toMatch(
      `query.${query.split('=')[0]}`,
    );
  });
});
