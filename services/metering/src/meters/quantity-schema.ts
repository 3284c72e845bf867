import { Id, MetadataQuery, many, Timestamp, TimestampInput } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { AggregationFunction } from './schema.ts';
import { timeZones } from './time-zones.ts';

export const TimeInterval = z.enum(['year', 'month', 'week', 'day', 'hour']).meta({ id: 'TimeInterval' });
export type TimeInterval = z.output<typeof TimeInterval>;

export const QuantityQuery = z.object({
  start_timestamp: TimestampInput,
  end_timestamp: TimestampInput,
  interval: TimeInterval,
  timezone: z.enum(timeZones as [string, ...string[]]).default('UTC'),
  customer_id: many(Id),
  external_customer_id: many(z.string()),
  customer_aggregation_function: AggregationFunction.optional(),
  metadata: MetadataQuery,
});
export type QuantityQuery = z.output<typeof QuantityQuery>;

const MeterQuantity = z.object({ timestamp: Timestamp, quantity: z.number() }).meta({ id: 'MeterQuantity' });

export const MeterQuantities = z
  .object({ quantities: z.array(MeterQuantity), total: z.number() })
  .meta({ id: 'MeterQuantities' });
export type MeterQuantitiesWire = z.input<typeof MeterQuantities>;
