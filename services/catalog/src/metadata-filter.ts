import { whereMetadata } from '@tributary/runtime/db/list.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import type { ObjectLiteral, SelectQueryBuilder } from 'typeorm';

/**
 * Filters by metadata such that a GIN index (`jsonb_path_ops`) on the column can be used: the comparison of texts
 * cannot be looked up in one, but every row it finds contains the key with one of the values the text may stand for.
 */
export function whereMetadataIndexed<T extends ObjectLiteral>(
  query: SelectQueryBuilder<T>,
  column: string,
  filter: MetadataFilter | undefined,
): void {
  whereMetadata(query, column, filter);
  for (const [index, { key, values }] of (filter ?? []).entries()) {
    const objects = values.flatMap(meanings).map((value) => JSON.stringify({ [key]: value }));
    const names = objects.map((_, place) => `contained_${index}_${place}`);
    query.andWhere(
      `(${names.map((name) => `${column} @> cast(:${name} as jsonb)`).join(' or ')})`,
      Object.fromEntries(names.map((name, place) => [name, objects[place]])),
    );
  }
}

/** The JSON values whose text form may be `text`. */
function meanings(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true'];
  const number = Number(text);
  return text.trim() !== '' && Number.isFinite(number) ? [text, number] : [text];
}
