import {
  boolean,
  id,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { EntitySchema } from 'typeorm';
import type { Meter } from './meter.ts';

export const MeterEntity = new EntitySchema<Meter>({
  name: 'meter',
  tableName: 'meters',
  columns: {
    ...recorded,
    organization_id: uuid,
    name: text,
    unit: text,
    custom_label: nullable(text),
    custom_multiplier: nullable(integer),
    filter: json,
    aggregation: json,
    metadata: json,
    archived_at: nullable(timestamp),
    billed_at: nullable(timestamp),
    live_after: uuid,
    is_backfilled: boolean,
    backfill_timestamp: nullable(timestamp),
    backfill_id: nullable(uuid),
    is_clearing: boolean,
    gaps: json,
    id,
  },
});
