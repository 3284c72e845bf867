import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';
import type { Page, Paging, SortCriterion } from '../http/paging.ts';
import type { MetadataFilter } from '../http/wire.ts';

/**
 * Reads one page of a list in two statements (count and rows), whatever its size. Nulls come first when they ascend and
 * last when they descend; an index that declares its columns `nulls first` is read in both directions.
 * @param columns SQL expression of each sort key
 * @param tieBreaker unique column appended to the order, so that pages never overlap
 * @param join adds what only the order needs, after the rows are counted; it must neither add rows nor remove any
 */
export async function pageOf<T extends ObjectLiteral, K extends string>(
  query: SelectQueryBuilder<T>,
  paging: Paging,
  sorting: readonly SortCriterion<K>[],
  columns: Record<K, string>,
  tieBreaker = `${query.alias}.id`,
  join?: (query: SelectQueryBuilder<T>) => unknown,
): Promise<Page<T>> {
  const total = await countOf(query);
  join?.(query);
  for (const { by, direction } of sorting)
    query.addOrderBy(columns[by], direction, direction === 'DESC' ? 'NULLS LAST' : 'NULLS FIRST');
  query.addOrderBy(tieBreaker, sorting[0]?.direction ?? 'ASC');
  const items = await query
    .offset((paging.page - 1) * paging.limit)
    .limit(paging.limit)
    .getMany();
  return { items, total };
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
const jsonForms = (text: string): string[] =>
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
