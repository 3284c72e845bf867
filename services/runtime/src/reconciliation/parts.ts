import type { Part } from './books.ts';
import { equal, none } from './report.ts';

const MAX_COUNTED = 100_000;
const EXAMPLES = 5;
const MAX_GROUPS = 200;

/**
 * A part that looks for records that break a rule; counted up to 100,000, a few of them named.
 * @param sql selects their `id`s; the row `span` has the instants `before` and `since` (`-infinity` for all)
 */
export const noneOf = (name: string, sql: string): Part => ({
  name,
  async read(books) {
    const [row] = await books.query<{ found: number; examples: string[] }>(
      `with span as (
         select $1::timestamptz as before, coalesce($2::timestamptz, '-infinity') as since
       ), wrong as materialized (
         select id from (${sql}) wrong limit ${MAX_COUNTED}
       )
       select (select count(*) from wrong) as found,
         array(select id::text from wrong order by id limit ${EXAMPLES}) as examples`,
      [books.before, books.since],
    );
    return { checks: [none(name, row!.found, row!.examples)] };
  },
});

/**
 * A part that counts or sums in two ways, once for each group: currency, kind, whatever the rows are named after.
 * @param sql selects `name`, `expected` and `found`, the numbers as text; `span` as for `noneOf`
 */
export const sameSums = (name: string, sql: string): Part => ({
  name,
  async read(books) {
    const rows = await books.query<{ name: string; expected: string; found: string }>(
      `with span as (
         select $1::timestamptz as before, coalesce($2::timestamptz, '-infinity') as since
       )
       select name, expected, found from (${sql}) sums order by name limit ${MAX_GROUPS}`,
      [books.before, books.since],
    );
    return { checks: rows.map((row) => equal(`${name}, ${row.name}`, row.expected, row.found)) };
  },
});
