import type { CustomerCopy } from '../replicas.ts';
import { type EventLabel, type EventRow, eventLabel } from './event.ts';
import type { EventWire } from './schema.ts';

/** An event with what lies beside it: its customer, its type's label, how many children it has. */
export interface EventInContext {
  event: EventRow;
  customer: CustomerCopy | null;
  type: EventLabel | undefined;
  child_count: number;
}

export const presentEvent = ({ event, customer, type, child_count }: EventInContext): EventWire =>
  ({
    id: event.id,
    timestamp: event.timestamp.toISOString(),
    organization_id: event.organization_id,
    customer_id: event.customer_id,
    customer,
    external_customer_id: event.external_customer_id ?? customer?.external_id ?? null,
    member_id: event.member_id,
    external_member_id: event.external_member_id,
    child_count,
    parent_id: event.parent_id,
    label: eventLabel(event, type),
    source: event.source,
    name: event.name,
    metadata: event.metadata,
  }) as EventWire;
