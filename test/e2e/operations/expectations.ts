import type { Scope } from '@tributary/proto/access.ts';
import { newId } from '@tributary/proto/id.ts';
import { type Answer, type Api, expectStatus } from '../../story/api.ts';
import type { TestPlatform } from '../test-platform.ts';
import { oidcToken, patWith, requestableScopes } from './consent.ts';
import { makeTeam, sessionOf } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

/** That a record has every field of a list; it may have more. */
export function expectFields(record: object | null, fields: readonly string[]): void {
  expect(record).not.toBeNull();
  expect(fields.filter((field) => !Object.hasOwn(record!, field))).toEqual([]);
}

/** That an answer refuses a request because of one value of it. */
export function expectInvalid({ status, body }: Answer, loc: (string | number)[]): void {
  expect([status, body.detail?.[0]?.loc]).toEqual([422, loc]);
  expect(body.detail[0]).toMatchObject({ msg: expect.any(String), type: expect.any(String) });
}

export function expectProblem({ status, body }: Answer, expected: number, error: string): void {
  expect([status, body]).toEqual([expected, { error, detail: expect.any(String) }]);
}

/**
 * That an operation takes each of the three merchant schemes with any one of its scopes, and refuses every other
 * scope, every other kind of token, and none.
 * @param call does the operation once, with a record of its own where it changes one
 */
export async function expectMerchantAccess(
  platform: TestPlatform,
  { granting, success }: { granting: readonly Scope[]; success: number },
  call: (api: Api) => Promise<Answer>,
): Promise<void> {
  const others = requestableScopes.filter((scope) => !granting.includes(scope));
  const kinds = {
    oat: (scopes: readonly Scope[]) => platform.tokenWith(scopes),
    pat: (scopes: readonly Scope[]) => patWith(platform, scopes),
    oidc: (scopes: readonly Scope[]) => oidcToken(platform, scopes),
  };
  for (const [kind, token] of Object.entries(kinds)) {
    for (const scope of granting) {
      const { status, body } = await call(platform.merchant.as(await token([scope])));
      expect([kind, scope, status, body]).toEqual([kind, scope, success, body]);
    }
    const { status, body } = await call(platform.merchant.as(await token(others)));
    expect([kind, status, body]).toEqual([
      kind,
      403,
      {
        error: 'insufficient_scope',
        error_description: expect.stringContaining(granting.join(' ')),
        detail: expect.any(String),
      },
    ]);
  }
  const { customer, member } = await makeTeam(platform.merchant);
  const session = await sessionOf(platform.merchant, customer.id, member.id);
  for (const token of [undefined, 'trb_oat_made_up', session]) {
    expectProblem(await call(platform.merchant.as(token)), 401, 'Unauthorized');
  }
}

/** That a portal operation takes sessions and nothing else. */
export async function expectPortalAccess(platform: TestPlatform, path: string): Promise<void> {
  for (const token of [undefined, 'trb_cst_made_up', platform.merchantToken, platform.personalToken]) {
    expectProblem(await platform.merchant.as(token).get(path), 401, 'Unauthorized');
  }
}

const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`;

export const listAll = async (api: Api, path: string): Promise<Json[]> =>
  expectStatus(await api.get(withQuery(path, 'limit=100')), 200).items;

const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id);

/** That a list of at least four records has page, limit and both members of `pagination` by the rules of lists. */
export async function expectPaging(api: Api, path: string): Promise<void> {
  const page = async (query: string) => expectStatus(await api.get(withQuery(path, query)), 200);
  const all = await page('limit=100');
  const total = all.items.length;
  expect(total).toBeGreaterThan(3);
  expect(all.pagination).toEqual({ total_count: total, max_page: 1 });
  const size = Math.ceil(total / 2) - 1;
  const pages = Math.ceil(total / size);
  const collected = [];
  for (let number = 1; number <= pages; number += 1) {
    const { items, pagination } = await page(`limit=${size}&page=${number}`);
    expect(pagination).toEqual({ total_count: total, max_page: pages });
    collected.push(...items);
  }
  expect(idsOf(collected)).toEqual(idsOf(all.items));
  expect(await page(`limit=${size}&page=${pages + 1}`)).toEqual({
    items: [],
    pagination: { total_count: total, max_page: pages },
  });
  expect((await page('page=99999999999')).items).toEqual([]);
  const byDefault = await page('');
  expect(idsOf(byDefault.items)).toEqual(idsOf(all.items.slice(0, 10)));
  expect(byDefault.pagination.max_page).toBe(Math.ceil(total / 10));
  for (const limit of ['101', '9'.repeat(30)]) expect(await page(`limit=${limit}`)).toEqual(all);
  for (const name of ['page', 'limit'])
    for (const value of ['0', '-1', 'many', '1.5'])
      expectInvalid(await api.get(withQuery(path, `${name}=${value}`)), ['query', name]);
}

type Value = string | number | boolean | null;
const compare = (a: Value, b: Value) => {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
};

/**
 * That a list can be sorted by each key in both directions: one is the other backwards, values rise, and small pages
 * put together are the whole.
 * @param keys the value that a record is sorted by, for each key
 */
export async function expectSorting(
  api: Api,
  path: string,
  keys: Record<string, (item: Json) => Value>,
): Promise<void> {
  for (const [key, read] of Object.entries(keys)) {
    const sorted = await listAll(api, withQuery(path, `sorting=${key}`));
    const values = sorted.map(read);
    expect([key, values]).toEqual([key, values.toSorted(compare)]);
    const backwards = await listAll(api, withQuery(path, `sorting=-${key}`));
    expect([key, idsOf(backwards)]).toEqual([key, idsOf(sorted).toReversed()]);
    const paged = [];
    for (let page = 1; paged.length < sorted.length; page += 1) {
      const { items } = expectStatus(
        await api.get(withQuery(path, `sorting=${key}&limit=2&page=${page}`)),
        200,
      );
      expect(items.length).toBeGreaterThan(0);
      paged.push(...items);
    }
    expect([key, idsOf(paged)]).toEqual([key, idsOf(sorted)]);
  }
  expectInvalid(await api.get(withQuery(path, 'sorting=nonsense')), ['query', 'sorting']);
}

/** That several criteria are applied in order. */
export async function expectSortingBySeveral(
  api: Api,
  path: string,
  [first, second]: [string, string],
  [firstOf, secondOf]: [(item: Json) => Value, (item: Json) => Value],
): Promise<void> {
  const items = await listAll(api, withQuery(path, `sorting=${first}&sorting=-${second}`));
  const expected = items.toSorted(
    (a, b) => compare(firstOf(a), firstOf(b)) || compare(secondOf(b), secondOf(a)),
  );
  expect(items.map((item) => [firstOf(item), secondOf(item)])).toEqual(
    expected.map((item) => [firstOf(item), secondOf(item)]),
  );
}

/**
 * That a filter keeps what matches: one value, several as alternatives, and nothing for a value nobody has.
 * @param matches whether a record has a value
 */
export async function expectFilter(
  api: Api,
  path: string,
  name: string,
  values: readonly string[],
  matches: (item: Json, value: string) => boolean,
): Promise<void> {
  const all = await listAll(api, path);
  const query = (some: readonly string[]) =>
    some.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  for (const some of [...values.map((value) => [value]), values]) {
    const kept = await listAll(api, withQuery(path, query(some)));
    const expected = all.filter((item) => some.some((value) => matches(item, value)));
    expect([name, some, idsOf(kept)]).toEqual([name, some, idsOf(expected)]);
    if (some.length === 1) {
      expect([name, some, expected.length > 0]).toEqual([name, some, true]);
      expect([name, some, expected.length < all.length]).toEqual([name, some, true]);
    }
  }
}

/** That a filter by id gives nothing for an id nobody has, and refuses what is no id. */
export async function expectIdFilter(
  api: Api,
  path: string,
  name: string,
  values: readonly string[],
  matches: (item: Json, value: string) => boolean,
): Promise<void> {
  await expectFilter(api, path, name, values, matches);
  const [some] = values;
  const capital = await listAll(api, withQuery(path, `${name}=${some!.toUpperCase()}`));
  expect(capital).toEqual(await listAll(api, withQuery(path, `${name}=${some}`)));
  expect(await listAll(api, withQuery(path, `${name}=${newId()}`))).toEqual([]);
  expectInvalid(await api.get(withQuery(path, `${name}=nonsense`)), ['query', name]);
}

/** That filters of different names must all hold. */
export async function expectBothFilters(
  api: Api,
  path: string,
  [first, second]: [string, string],
): Promise<void> {
  const [left, right, both] = await Promise.all([
    listAll(api, withQuery(path, first)),
    listAll(api, withQuery(path, second)),
    listAll(api, withQuery(path, `${first}&${second}`)),
  ]);
  const wanted = new Set(idsOf(right));
  expect(idsOf(both)).toEqual(idsOf(left).filter((id) => wanted.has(id)));
  expect(both.length).toBeGreaterThan(0);
  expect(both.length).toBeLessThan(Math.max(left.length, right.length));
}
