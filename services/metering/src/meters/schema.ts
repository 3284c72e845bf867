import { Id, Metadata, MetadataInput, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { Filter, FilterInput } from '../filters/schema.ts';

const MAX_NAME = 512;
const Property = z.string().min(1).max(1000);

export const MeterUnit = z.enum(['scalar', 'token', 'custom']).meta({ id: 'MeterUnit' });
export type MeterUnit = z.output<typeof MeterUnit>;

export const AggregationFunction = z
  .enum(['count', 'sum', 'max', 'min', 'avg', 'unique'])
  .meta({ id: 'AggregationFunction' });
export type AggregationFunction = z.output<typeof AggregationFunction>;

const CountAggregation = z
  .object({ func: z.literal('count').default('count') })
  .meta({ id: 'CountAggregation' });
const PropertyAggregation = z
  .object({ func: z.enum(['sum', 'max', 'min', 'avg']), property: Property })
  .meta({ id: 'PropertyAggregation' });
const UniqueAggregation = z
  .object({ func: z.literal('unique').default('unique'), property: Property })
  .meta({ id: 'UniqueAggregation' });

/** How a meter makes one quantity of many events (domain rules 8.5). */
export const Aggregation = z.discriminatedUnion('func', [
  CountAggregation,
  PropertyAggregation,
  UniqueAggregation,
]);
export type Aggregation = z.output<typeof Aggregation>;

export const Meter = z
  .object({
    ...resourceShape,
    metadata: Metadata,
    name: z.string(),
    unit: MeterUnit,
    custom_label: z.string().nullable().optional(),
    custom_multiplier: z.int().nullable().optional(),
    filter: Filter,
    aggregation: Aggregation,
    organization_id: Id,
    archived_at: Timestamp.nullable().optional(),
  })
  .meta({ id: 'Meter' });
export type MeterWire = z.input<typeof Meter>;

const Name = z.string().min(3).max(MAX_NAME);
const CustomLabel = z.string().max(MAX_NAME).nullable().optional();
const CustomMultiplier = z.int32().positive().nullable().optional();

export const MeterCreate = z
  .object({
    metadata: MetadataInput.optional(),
    name: Name,
    unit: MeterUnit.default('scalar'),
    custom_label: CustomLabel,
    custom_multiplier: CustomMultiplier,
    filter: FilterInput,
    aggregation: Aggregation,
    organization_id: Id.nullable().optional(),
  })
  .meta({ id: 'MeterCreate' });
export type MeterCreate = z.output<typeof MeterCreate>;

export const MeterUpdate = z
  .object({
    metadata: MetadataInput.optional(),
    name: Name.nullable().optional(),
    unit: MeterUnit.nullable().optional(),
    custom_label: CustomLabel,
    custom_multiplier: CustomMultiplier,
    filter: FilterInput.nullable().optional(),
    aggregation: Aggregation.nullable().optional(),
    is_archived: z.boolean().nullable().optional(),
  })
  .meta({ id: 'MeterUpdate' });
export type MeterUpdate = z.output<typeof MeterUpdate>;
