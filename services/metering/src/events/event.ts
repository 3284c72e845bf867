import { isSystemEventName, labelOf } from '@tributary/proto/events/system-events.ts';
import { propertyPath, propertyReader, textOf } from '../filters/property.ts';

/** A stored event. */
export interface EventRow {
  id: string;
  organization_id: string;
  customer_id: string | null;
  member_id: string | null;
  parent_id: string | null;
  timestamp: Date;
  source: 'user' | 'system';
  name: string;
  external_customer_id: string | null;
  external_member_id: string | null;
  metadata: Record<string, unknown>;
}

/** What an organization calls events of a name. */
export interface EventLabel {
  label: string;
  label_property_selector: string | null;
}

/**
 * What people read instead of the event's name (domain rules 8.2): a system event's own title; else the metadata value
 * the event type selects, when there is one; else the event type's label.
 */
export function eventLabel(
  event: Pick<EventRow, 'name' | 'source' | 'metadata' | 'timestamp'>,
  type: EventLabel | undefined,
): string {
  if (event.source === 'system' && isSystemEventName(event.name)) return labelOf(event.name);
  if (!type) return event.name;
  return selected(event, type.label_property_selector) ?? type.label;
}

function selected(
  event: Pick<EventRow, 'name' | 'source' | 'metadata' | 'timestamp'>,
  selector: string | null,
): string | undefined {
  if (selector === null) return undefined;
  const read = propertyReader(propertyPath(selector));
  const value = read({ ...event, timestamp: event.timestamp.getTime() });
  return (value === undefined ? '' : textOf(value)) || undefined;
}
