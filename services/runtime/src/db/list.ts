import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, Paging, SortCriterion } from '../http/paging.ts';
import type { MetadataFilter } from '../http/wire.ts';

interface PageOptions<T extends ObjectLiteral> {
  /** Keeps the rows of these organizations, and reads them such that an index on (organization, order) serves. */
  organizations?: readonly string[];
  /** Adds what only the order needs, after the rows are counted; it must neither add rows nor remove any. */
  join?: (query: SelectQueryBuilder<T>) => unknown;
}

/**
 * Reads one page of a list in two statements (count and rows), whatever its size. Nulls come first when they ascend and
 * last when they descend; an index that declares its columns `nulls first` is read in both directions. The id ends the
 * order, so that pages never overlap.
 * @param columns SQL expression of each sort key
 */
export async function pageOf<T extends ObjectLiteral, K extends string>(
  query: SelectQueryBuilder<T>,
  paging: Paging,
  sorting: readonly SortCriterion<K>[],
  columns: Record<K, string>,
  { organizations, join }: PageOptions<T> = {},
): Promise<Page<T>> {
  whereIn(query, `${query.alias}.organization_id`, organizations);
  const total = await countOf(query);
  const offset = (paging.page - 1) * paging.limit;
  if (offset >= total) return { items: [], total };
  join?.(query);
  const order = orderOf(sorting, columns, `${query.alias}.id`);
  if (total <= FEW) order[0]!.expression = unindexed(order[0]!.expression);
  else if (organizations && organizations.length > 1)
    return { items: await mergedPage(query, organizations, order, offset, paging.limit), total };
  for (const { expression, direction, nulls } of order) query.addOrderBy(expression, direction, nulls);
  return { items: await query.offset(offset).limit(paging.limit).getMany(), total };
}

/** Where nulls come; indexes that serve an order are declared `nulls first`. */
export const NULLS = { ASC: 'NULLS FIRST', DESC: 'NULLS LAST' } as const;

/** Rows that are found and sorted sooner than they are met along an index that has the order. */
export const FEW = 1_000;

interface Order {
  expression: string;
  direction: SortCriterion['direction'];
  /** Undefined for an id: it is never null, and an index that is not told where its nulls come has the other place. */
  nulls: (typeof NULLS)[keyof typeof NULLS] | undefined;
}

function orderOf<K extends string>(
  sorting: readonly SortCriterion<K>[],
  columns: Record<K, string>,
  id: string,
): Order[] {
  const order: Order[] = sorting.map(({ by, direction }) => ({
    expression: columns[by],
    direction,
    nulls: NULLS[direction],
  }));
  return [...order, { expression: id, direction: order[0]?.direction ?? 'ASC', nulls: undefined }];
}

/** The same values, which no index has: PostgreSQL else goes along one that has the order, past all that is not meant. */
const unindexed = (expression: string): string => `greatest(${expression})`;

/**
 * The page of several organizations: no index has all their rows in order, but one has each organization's, so the
 * beginnings of those are merged.
 */
async function mergedPage<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  organizations: readonly string[],
  order: readonly Order[],
  offset: number,
  limit: number,
): Promise<T[]> {
  const own = query.clone().select([]).andWhere(`${query.alias}.organization_id = scope.organization_id`);
  for (const [place, { expression, direction, nulls }] of order.entries())
    own.addSelect(`(${expression})`, `key_${place}`).addOrderBy(expression, direction, nulls);
  const keys = order.map(({ direction, nulls }, place) => `page.key_${place} ${direction} ${nulls ?? ''}`);
  const page = `(select page.* from unnest(:scope::uuid[]) scope(organization_id)
    cross join lateral (${own.limit(offset + limit).getQuery()}) page
    order by ${keys.join(', ')} limit ${limit} offset ${offset})`;
  const merged = query
    .createQueryBuilder()
    .select('item')
    .from<T>(query.expressionMap.mainAlias!.target, 'item')
    .innerJoin(page, 'page', `page.key_${order.length - 1} = item.id`)
    .setParameters({ ...own.getParameters(), scope: organizations });
  for (const [place, { direction, nulls }] of order.entries())
    merged.addOrderBy(`page.key_${place}`, direction, nulls);
  return merged.getMany();
}

/** Number of rows; joins of a list keep each row once, so nothing has to be told apart. */
async function countOf<T extends ObjectLiteral>(query: SelectQueryBuilder<T>): Promise<number> {
  const counted = await query.clone().select('count(*)', 'total').getRawOne<{ total: number }>();
  return counted!.total;
}

/**
 * Keeps rows whose `column` is one of `values`; an absent filter keeps all. A single value is compared for equality,
 * which lets an index that starts with the column also give the order.
 */
export function whereIn<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  values: readonly unknown[] | undefined,
): void {
  if (values === undefined) return;
  const name = parameterName(column);
  if (values.length === 1) query.andWhere(`${column} = :${name}`, { [name]: values[0] });
  else query.andWhere(`${column} = any(:${name})`, { [name]: values });
}

/**
 * `metadata[key]=value`: text form of the stored value, OR inside a key, AND across keys (domain rules 13.2). The
 * containment says nothing new; it is what a `gin (… jsonb_path_ops)` index can answer.
 */
export function whereMetadata<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  filter: MetadataFilter | undefined,
): void {
  for (const [index, { key, values }] of (filter ?? []).entries()) {
    const name = `${parameterName(column)}_${index}`;
    const forms = values.flatMap(jsonForms).map((form) => `{${JSON.stringify(key)}:${form}}`);
    const contained = forms.map((_, place) => `${column} @> :${name}_form_${place}::jsonb`);
    query.andWhere(
      `(${contained.join(' or ') || 'false'}) and ${column} ->> :${name}_key = any(:${name}_values)`,
      {
        [`${name}_key`]: key,
        [`${name}_values`]: values,
        ...Object.fromEntries(forms.map((form, place) => [`${name}_form_${place}`, form])),
      },
    );
  }
}

const JSON_SCALAR = /^(true|false|-?(0|[1-9]\d{0,400})(\.\d{1,400})?)$/;

/** The JSON values whose text form a text can be: itself, and the boolean or number it spells. */
export const jsonForms = (text: string): string[] =>
  JSON_SCALAR.test(text) ? [JSON.stringify(text), text] : [JSON.stringify(text)];

/** Case-insensitive "contains" over some columns; wildcards in the text are text. */
export function whereContains<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  columns: readonly string[],
  text: string | undefined,
): void {
  if (text === undefined) return;
  const alternatives = columns.map((column) => `${column} ilike :contained`).join(' or ');
  query.andWhere(`(${alternatives})`, { contained: `%${escapeLike(text)}%` });
}

/** `text` as a literal inside a LIKE pattern. */
export const escapeLike = (text: string): string =>
  text.replaceAll(/[\\%_]/g, (character) => `\\${character}`);

const parameterName = (column: string) => column.replaceAll(/\W/g, '_');
