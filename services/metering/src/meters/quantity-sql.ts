import { type Binder, propertyNumberSql, propertyTextSql } from '../filters/sql.ts';
import type { Aggregation } from './schema.ts';

/** SQL of what one event adds to a meter; null where it adds nothing. The same as `compileMeter` reads in process. */
export function quantitySql(aggregation: Aggregation, row: string, binder: Binder): string {
  if (aggregation.func === 'count') return '1::numeric';
  return aggregation.func === 'unique'
    ? propertyTextSql(aggregation.property, row, binder)
    : propertyNumberSql(aggregation.property, row, binder);
}
