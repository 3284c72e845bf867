import {
  bigint,
  boolean,
  integer,
  json,
  nullable,
  numeric,
  recorded,
  text,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema } from 'typeorm';
import type { Price } from './price.ts';

export const prices = new EntitySchema<Price>({
  name: 'prices',
  columns: {
    ...recorded,
    product_id: uuid,
    position: integer,
    source: text,
    amount_type: text,
    price_currency: text,
    tax_behavior: nullable(text),
    is_archived: boolean,
    legacy_recurring_interval: nullable(text),
    price_amount: nullable(bigint),
    minimum_amount: nullable(bigint),
    maximum_amount: nullable(bigint),
    preset_amount: nullable(bigint),
    seat_tiers: nullable(json),
    meter_id: nullable(uuid),
    unit_amount: nullable(numeric),
    cap_amount: nullable(bigint),
  },
});

/** The prices on sale of each product, in order. */
export async function pricesOfProducts(
  reader: Reader,
  productIds: readonly string[],
): Promise<Map<string, Price[]>> {
  if (productIds.length === 0) return new Map();
  const rows = await reader
    .getRepository(prices)
    .createQueryBuilder('price')
    .where('price.product_id = any(:productIds) and not price.is_archived', { productIds })
    .orderBy('price.product_id')
    .addOrderBy('price.position')
    .getMany();
  return Map.groupBy(rows, (row) => row.product_id);
}

/** Whether a product is sold by the seat. */
export async function hasSeatPrice(reader: Pick<Reader, 'query'>, productId: string): Promise<boolean> {
  const rows: unknown[] = await reader.query(
    "select 1 from prices where product_id = $1 and not is_archived and amount_type = 'seat_based' limit 1",
    [productId],
  );
  return rows.length > 0;
}

/** Whether a product on sale has a price on the meter. */
export async function isMetered(reader: Pick<Reader, 'query'>, meterId: string): Promise<boolean> {
  const rows: unknown[] = await reader.query(
    'select 1 from prices where meter_id = $1 and not is_archived limit 1',
    [meterId],
  );
  return rows.length > 0;
}

/** Makes `next` the prices on sale: new ones are added, kept ones take their new place, the others are archived. */
export async function replacePrices(
  tx: Tx,
  current: readonly Price[],
  next: readonly Price[],
  now: Date,
): Promise<void> {
  const currentIds = new Set(current.map((price) => price.id));
  const nextIds = new Set(next.map((price) => price.id));
  const added = next.filter((price) => !currentIds.has(price.id));
  const dropped = current.filter((price) => !nextIds.has(price.id)).map((price) => price.id);
  if (added.length > 0) await tx.getRepository(prices).insert(added as never);
  if (dropped.length > 0) {
    await tx.query('update prices set is_archived = true, modified_at = $2 where id = any($1)', [
      dropped,
      now,
    ]);
  }
  await tx.query(
    `update prices set position = place.position - 1
     from unnest($1::uuid[]) with ordinality as place(id, position)
     where prices.id = place.id and prices.position <> place.position - 1`,
    [next.map((price) => price.id)],
  );
}
