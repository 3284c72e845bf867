import {
  type SystemEventName,
  systemEventMetadata,
  systemEventNames,
} from '@tributary/proto/events/system-events.ts';
import { Id, owned, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { LlmMetadata } from '../ingest/schema.ts';
import type { CustomerCopy } from '../replicas.ts';

export const EventSource = z.enum(['system', 'user']).meta({ id: 'EventSource' });
export type EventSource = z.output<typeof EventSource>;

const CostMetadata = z
  .object({ amount: z.string(), currency: z.string().regex(/usd/) })
  .meta({ id: 'CostMetadata-Output' });

export const EventMetadata = z
  .object({ _cost: CostMetadata.optional(), _llm: LlmMetadata.optional() })
  .catchall(z.union([z.string(), z.int(), z.number(), z.boolean()]))
  .meta({ id: 'EventMetadataOutput' });

const common = {
  id: Id,
  timestamp: Timestamp,
  organization_id: Id,
  customer_id: Id.nullable(),
  customer: owned<CustomerCopy>('Customer').nullable(),
  external_customer_id: z.string().nullable(),
  member_id: Id.nullable().optional(),
  external_member_id: z.string().nullable().optional(),
  child_count: z.int().default(0),
  parent_id: Id.nullable().optional(),
  label: z.string(),
};

const UserEvent = z
  .object({ ...common, name: z.string(), source: z.literal('user'), metadata: EventMetadata })
  .meta({ id: 'UserEvent' });

/** The contract calls one of them differently from all others. */
const componentOf = (name: SystemEventName): string =>
  name === 'meter.credited'
    ? 'MeterCreditEvent'
    : `${name
        .split(/[._]/)
        .map((word) => word[0]!.toUpperCase() + word.slice(1))
        .join('')}Event`;

const systemEvent = (name: SystemEventName) =>
  z
    .object({
      ...common,
      source: z.literal('system'),
      name: z.literal(name),
      metadata: systemEventMetadata[name],
    })
    .meta({ id: componentOf(name) });

type SystemEventShape = ReturnType<typeof systemEvent>;

const SystemEvent = z
  .discriminatedUnion('name', systemEventNames.map(systemEvent) as [SystemEventShape, ...SystemEventShape[]])
  .meta({ id: 'SystemEvent' });

/** An event, by its source; system events by their name (service description 2.1). */
export const Event = z.discriminatedUnion('source', [SystemEvent, UserEvent]).meta({ id: 'Event' });
export type EventWire = z.input<typeof Event>;
