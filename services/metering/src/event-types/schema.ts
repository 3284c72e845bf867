import { Id, resourceShape, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { EventSource } from '../events/schema.ts';

export const EventType = z
  .object({
    ...resourceShape,
    name: z.string(),
    label: z.string(),
    label_property_selector: z.string().nullable().optional(),
    organization_id: Id,
  })
  .meta({ id: 'EventType' });
export type EventTypeWire = z.input<typeof EventType>;

/** A type with what was seen of it; types of system events are nobody's to change and have no id. */
export const EventTypeWithStats = z
  .object({
    id: Id.nullable().optional(),
    created_at: Timestamp.nullable().optional(),
    modified_at: Timestamp.nullable().optional(),
    name: z.string(),
    label: z.string(),
    label_property_selector: z.string().nullable().optional(),
    organization_id: Id,
    source: EventSource,
    occurrences: z.int(),
    first_seen: Timestamp,
    last_seen: Timestamp,
  })
  .meta({ id: 'EventTypeWithStats' });
export type EventTypeWithStatsWire = z.input<typeof EventTypeWithStats>;

export const EventName = z
  .object({
    name: z.string(),
    label: z.string(),
    source: EventSource,
    occurrences: z.int(),
    first_seen: Timestamp,
    last_seen: Timestamp,
  })
  .meta({ id: 'EventName' });
export type EventNameWire = z.input<typeof EventName>;

export const EventTypeUpdate = z
  .object({
    label: z.string().min(1).max(128),
    label_property_selector: z.string().min(1).max(256).nullable().optional(),
  })
  .meta({ id: 'EventTypeUpdate' });
export type EventTypeUpdate = z.output<typeof EventTypeUpdate>;
