import { isSystemEventName, labelOf } from '@tributary/proto/events/system-events.ts';
import type { Recorded } from '@tributary/runtime/db/columns.ts';
import type { EventSource } from '../events/schema.ts';

/** What an organization's user events of one name are called. */
export interface EventType extends Recorded {
  organization_id: string;
  name: string;
  label: string;
  label_property_selector: string | null;
}

/** A name with what was seen of it. A user event may bear a system event's name; the two are apart by their source. */
export interface SeenName {
  organization_id: string;
  source: EventSource;
  name: string;
  occurrences: number;
  first_seen: Date;
  last_seen: Date;
  type: EventType | null;
}

export const labelOfName = ({ source, name, type }: Pick<SeenName, 'source' | 'name' | 'type'>): string =>
  source === 'system' && isSystemEventName(name) ? labelOf(name) : (type?.label ?? name);
