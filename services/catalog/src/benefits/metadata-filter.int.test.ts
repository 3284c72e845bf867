import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
  const values = {
    a: 'five',
    b: '5',
    c: 5,
    d: 5.5,
    e: true,
    f: 'true',
    g: 1e21,
    h: -0.25,
    i: ' 5',
    j: 12345678901234567000,
  };
  for (const [description, value] of Object.entries(values))
    await catalog.benefit('custom', {}, { description: `benefit ${description}`, metadata: { key: value } });
});
afterAll(() => catalog.stop());

test.each([
  ['five', 'a'],
  ['5', 'bc'],
  ['5.0', ''],
  ['5.5', 'd'],
  ['true', 'ef'],
  ['True', ''],
  ['1000000000000000000000', 'g'],
  ['-0.25', 'h'],
  [' 5', 'i'],
  ['', ''],
  ['12345678901234567000', 'j'],
  ['NaN', ''],
])('metadata[key]=%j finds the values with that text', async (text, expected) => {
  const query = new URLSearchParams({ 'metadata[key]': text, sorting: 'description' });
  const { status, body } = await catalog.api('GET', `/v1/benefits/?${query}`);
  expect(status).toBe(200);
  expect(body.items.map((item: { description: string }) => item.description.at(-1)).join('')).toBe(expected);
});

test('a name that would be something special to an object is a name', async () => {
  const { status, body } = await catalog.api('GET', '/v1/benefits/?metadata[__proto__]=x&metadata[a%27b]=1');
  expect([status, body.items]).toEqual([200, []]);
});
