import { z } from 'zod';
import { queryNumber } from './wire.ts';

export const MAX_PAGE_SIZE = 100;

/** One criterion of `sorting`. */
export interface SortCriterion<K extends string = string> {
  by: K;
  direction: 'ASC' | 'DESC';
}

/** Beyond any list's last page; anything larger means the same. */
const FAR_PAGE = 2_147_483_647;

const position = z
  .number()
  .overwrite((value) => Math.min(value, FAR_PAGE))
  .int()
  .positive();
const page = queryNumber(position.default(1));
const limit = queryNumber(position.default(10).transform((value) => Math.min(value, MAX_PAGE_SIZE)));

/** `page` (default 1) and `limit` (default 10, lowered to 100) of every list (domain rules 13.1). */
export const pagingShape = { page, limit };
export interface Paging {
  page: number;
  limit: number;
}

/**
 * `sorting`: criteria in order, repeatable, a leading `-` for descending.
 * @param id name of the enum in the OpenAPI document
 * @param keys what may be sorted by
 * @param fallback the order when the parameter is absent
 */
export function sortedBy<const K extends string>(
  id: string,
  keys: readonly K[],
  fallback: readonly (K | `-${K}`)[],
) {
  const values = keys.flatMap((key) => [key, `-${key}`] as const);
  const criterion = z.enum(values as [string, ...string[]]).meta({ id });
  return z
    .union([criterion, z.array(criterion).max(keys.length * 2)])
    .default([...fallback])
    .transform((criteria) => [criteria].flat().map(parseCriterion<K>));
}

function parseCriterion<K extends string>(criterion: string): SortCriterion<K> {
  return criterion.startsWith('-')
    ? { by: criterion.slice(1) as K, direction: 'DESC' }
    : { by: criterion as K, direction: 'ASC' };
}

/** The list envelope `{items, pagination: {total_count, max_page}}`. */
export function listOf<T extends z.ZodType>(item: T) {
  const name = z.globalRegistry.get(item)?.id;
  const envelope = z.object({ items: z.array(item), pagination: Pagination });
  return name ? envelope.meta({ id: `ListResource_${name}_` }) : envelope;
}

export const Pagination = z.object({ total_count: z.int(), max_page: z.int() }).meta({ id: 'Pagination' });

/** A page of rows with the number of rows on all pages. */
export interface Page<T> {
  items: T[];
  total: number;
}

/** Puts a page of rows into the list envelope. */
export function presentPage<T, W>(rows: Page<T>, paging: Paging, present: (row: T) => W) {
  return {
    items: rows.items.map((row) => present(row)),
    pagination: { total_count: rows.total, max_page: Math.ceil(rows.total / paging.limit) },
  };
}
