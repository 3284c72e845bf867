import type { EntitySchemaColumnOptions } from 'typeorm';

/** Column definitions shared by every EntitySchema; property names are the column names. */

export const id: EntitySchemaColumnOptions = { type: 'uuid', primary: true };
export const uuid: EntitySchemaColumnOptions = { type: 'uuid' };
export const text: EntitySchemaColumnOptions = { type: 'text' };
export const integer: EntitySchemaColumnOptions = { type: 'integer' };
/** Integer amounts and counts up to 2^53. */
export const bigint: EntitySchemaColumnOptions = { type: 'bigint' };
/** Decimal, read as a string and computed with big.js. */
export const numeric: EntitySchemaColumnOptions = { type: 'numeric' };
export const boolean: EntitySchemaColumnOptions = { type: 'boolean' };
export const timestamp: EntitySchemaColumnOptions = { type: 'timestamptz' };
export const json: EntitySchemaColumnOptions = { type: 'jsonb' };
export const textArray: EntitySchemaColumnOptions = { type: 'text', array: true };
export const uuidArray: EntitySchemaColumnOptions = { type: 'uuid', array: true };

/** The same column, nullable. */
export const nullable = (column: EntitySchemaColumnOptions): EntitySchemaColumnOptions => ({
  ...column,
  nullable: true,
});

/** Identity and times of every resource. */
export interface Recorded {
  id: string;
  created_at: Date;
  modified_at: Date | null;
}
export const recorded = { id, created_at: timestamp, modified_at: nullable(timestamp) };

/** `id`, `created_at` and `modified_at` as the API presents them. */
export const presentRecorded = (row: Recorded) => ({
  id: row.id,
  created_at: row.created_at.toISOString(),
  modified_at: row.modified_at?.toISOString() ?? null,
});

/** ISO 8601 text of an instant, or null. */
export const iso = (instant: Date | null): string | null => instant?.toISOString() ?? null;
