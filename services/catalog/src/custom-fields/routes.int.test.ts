import { newId } from '@tributary/proto/id.ts';
import { organizationToken } from '@tributary/runtime/testing/principals.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
});
afterAll(() => catalog.stop());

const PATH = '/v1/custom-fields/';
const locsOf = (answer: { status: number; body: { detail: { loc: unknown[] }[] } }) => {
  expect(answer.status).toBe(422);
  return answer.body.detail.map((issue) => issue.loc.join('.'));
};

test.each<[string, object]>([
  ['text', { textarea: true, min_length: 1, max_length: 9, form_label: 'Label' }],
  ['number', { ge: -5, le: 5 }],
  ['date', { ge: 0, le: 1_700_000_000 }],
  ['checkbox', { form_help_text: 'Tick it' }],
  ['select', { options: [{ value: 'a', label: 'A' }] }],
])('a %s field is made, read, changed and deleted', async (type, properties) => {
  const field = { type, slug: `my_${type}-1`, name: 'Field', properties, metadata: { a: 1 } };
  const made = await catalog.api('POST', PATH, field);
  expect([made.status, made.body]).toEqual([
    201,
    {
      ...field,
      id: expect.any(String),
      created_at: expect.any(String),
      modified_at: null,
      organization_id: catalog.organization.id,
    },
  ]);
  const path = `${PATH}${made.body.id}`;
  expect((await catalog.api('GET', path)).body).toEqual(made.body);
  const changed = await catalog.api('PATCH', path, { type, name: 'Renamed' });
  expect(changed.body).toEqual({ ...made.body, name: 'Renamed', modified_at: expect.any(String) });
  expect((await catalog.api('DELETE', path)).status).toBe(204);
  expect((await catalog.api('GET', path)).status).toBe(404);
  expect((await catalog.api('POST', PATH, field)).status).toBe(201);
});

test.each<[string, object, string]>([
  ['an unknown type', { type: 'color' }, 'body.type'],
  ['capitals in the slug', { slug: 'Slug' }, 'body.slug'],
  ['an empty name', { name: '' }, 'body.name'],
  ['an empty label', { properties: { form_label: '' } }, 'body.properties.form_label'],
  ['a negative length', { properties: { min_length: -1 } }, 'body.properties.min_length'],
  ['no options', { type: 'select', properties: { options: [] } }, 'body.properties.options'],
  ['a bound beyond 32 bits', { type: 'number', properties: { le: 2 ** 31 } }, 'body.properties.le'],
  ['no properties', { properties: undefined }, 'body.properties'],
])('refuses %s', async (_name, given, loc) => {
  const field = { type: 'text', slug: 'slug', name: 'Field', properties: {}, ...given };
  expect(locsOf(await catalog.api('POST', PATH, field))).toEqual([loc]);
});

test('a slug is taken once in an organization', async () => {
  const field = { type: 'text', slug: 'taken', name: 'Field', properties: {} };
  const made = await catalog.make(PATH, field);
  const other = await catalog.make(PATH, { ...field, slug: 'free' });
  expect(locsOf(await catalog.api('POST', PATH, field))).toEqual(['body.slug']);
  const path = `${PATH}${other.id}`;
  expect(locsOf(await catalog.api('PATCH', path, { type: 'text', slug: 'taken' }))).toEqual(['body.slug']);
  expect(locsOf(await catalog.api('PATCH', path, { type: 'number' }))).toEqual(['body.type']);
  const elsewhere = organizationToken(newId());
  expect((await catalog.api('POST', PATH, field, { as: elsewhere })).status).toBe(201);
  expect((await catalog.api('GET', `${PATH}${made.id}`, undefined, { as: elsewhere })).status).toBe(404);
});

test('fields are listed by slug, and by what is asked for', async () => {
  const shop = await catalogUnderTest();
  for (const [slug, name, type] of [
    ['b', 'Alpha', 'text'],
    ['a', 'Gamma', 'number'],
    ['c', 'Beta', 'date'],
  ])
    await shop.make(PATH, { slug, name, type, properties: {} });
  const slugs = async (query: string) =>
    (await shop.api('GET', `${PATH}?${query}`)).body.items
      .map((item: { slug: string }) => item.slug)
      .join('');
  expect(await slugs('')).toBe('abc');
  expect(await slugs('sorting=-slug')).toBe('cba');
  expect(await slugs('sorting=name')).toBe('bca');
  expect(await slugs('sorting=type')).toBe('cab');
  expect(await slugs('sorting=-created_at')).toBe('cab');
  expect(await slugs('query=eta')).toBe('c');
  expect(await slugs('type=text&type=date')).toBe('bc');
  expect(await slugs('limit=1&page=3')).toBe('c');
  expect((await shop.api('GET', `${PATH}?type=color`)).status).toBe(422);
  await shop.stop();
});
