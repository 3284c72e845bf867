import { catalogCases } from './list-cases-catalog.ts';
import { commerceCases } from './list-cases-commerce.ts';
import { meteringCases } from './list-cases-metering.ts';
import { otherCases } from './list-cases-other.ts';
import { type DocumentedList, documentedLists } from './list-document.ts';

/** Query strings of a list, one or more for each filter; `{field}` stands for that field of one of the list's items. */
export type FilterCases = Readonly<Record<string, readonly string[]>>;

export type ListCaller = 'organization' | 'user' | 'customer';

export interface MeasuredList extends DocumentedList {
  caller: ListCaller;
  cases: readonly ListCase[];
}

export interface ListCase {
  name: string;
  /** Whose token is sent: a user reaches several organizations. */
  caller: ListCaller;
  query: string;
}

const given: FilterCases = { ...commerceCases, ...catalogCases, ...meteringCases, ...otherCases };

/** Lists of what is the user's own, whatever the organization. */
const OF_USER = ['/v1/organizations/', '/v1/personal-access-tokens/'];

const callerOf = (path: string): ListCaller => {
  if (path.startsWith('/v1/customer-portal/')) return 'customer';
  return OF_USER.includes(path) ? 'user' : 'organization';
};

/** Read whole by those who may: a customer's few members, of whom the caller must be one. */
const OF_FEW = '/v1/customer-portal/members';
const manyRows = documentedLists.filter(({ path }) => path !== OF_FEW);

/** Every list with no filter, a far page, every filter and every sort in both directions. */
export const measuredLists: readonly MeasuredList[] = manyRows.map((list) => {
  const caller = callerOf(list.path);
  const queries = [
    '',
    'page=200',
    ...(given[list.path] ?? []),
    ...list.sorts.flatMap((key) => [`sorting=${key}`, `sorting=-${key}`]),
  ];
  const cases: ListCase[] = queries.map((query) => ({
    name: decodeURIComponent(query) || '(all)',
    caller,
    query,
  }));
  if (list.filters.includes('organization_id'))
    cases.push({ name: '(all of several organizations)', caller: 'user', query: '' });
  return { ...list, caller, cases };
});

/** Filters of a list that no case has. */
export const filtersWithoutCase = (list: MeasuredList): string[] => {
  const tried = new Set(
    list.cases.flatMap(({ query }) =>
      [...new URLSearchParams(query).keys()].map((key) => key.replace(/\[.*/, '')),
    ),
  );
  // Each list is read within one organization and within several.
  return list.filters.filter((name) => name !== 'organization_id' && !tried.has(name));
};

/** Puts the fields of an item, and what else is given, where `{…}` names them. */
export function fillIn(template: string, item: unknown, samples: Readonly<Record<string, string>>): string {
  return template.replaceAll(/\{([a-z_.\d]+)\}/g, (_, path: string) => {
    const found =
      samples[path] ??
      path
        .split('.')
        .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], item);
    if (typeof found !== 'string') throw new Error(`nothing found for {${path}} of ${template}`);
    return encodeURIComponent(found);
  });
}
