import { firstIdOf } from '@tributary/proto/id.ts';
import type { Part } from './books.ts';

/**
 * How many records of a kind a service has: whoever owns them, and whoever keeps copies or acts on each of them, must
 * have the same number. Told apart by ids, which are the same everywhere and begin with the time of their making.
 */
export interface RecordCount {
  /** The same for the owner and the others. */
  kind: string;
  isOwner: boolean;
  count: string;
}

/**
 * Counts records that were made before the report's instant (and since its beginning).
 * @param condition of those that count, in SQL
 */
const counted = (kind: string, isOwner: boolean, table: string, condition: string): Part => ({
  name: `records: ${kind}`,
  async read(books) {
    const [row] = await books.query<{ count: string }>(
      `select count(*)::text as count from ${table} where id >= $1 and id < $2 and ${condition}`,
      [firstIdOf(books.since?.getTime() ?? 0), firstIdOf(books.before.getTime())],
    );
    return { records: [{ kind, isOwner, count: row!.count }] };
  },
});

/** Records of this service. */
export const owned = (kind: string, table = kind, condition = 'true'): Part =>
  counted(kind, true, table, condition);

/** What this service has made of another's records. */
export const followed = (kind: string, table: string, condition = 'true'): Part =>
  counted(kind, false, table, condition);

/** The copies of another service's records, of kinds that are never deleted. */
export const copied = (...kinds: string[]): Part[] =>
  kinds.map((kind) => followed(kind, `${kind}_replica`, 'value is not null'));
