import { presentRecorded } from '@tributary/runtime/db/columns.ts';
import { type EventType, labelOfName, type SeenName } from './event-type.ts';
import type { EventNameWire, EventTypeWire, EventTypeWithStatsWire } from './schema.ts';

export const presentEventType = (type: EventType): EventTypeWire => ({
  ...presentRecorded(type),
  name: type.name,
  label: type.label,
  label_property_selector: type.label_property_selector,
  organization_id: type.organization_id,
});

export const presentName = (seen: SeenName): EventNameWire => ({
  name: seen.name,
  label: labelOfName(seen),
  source: seen.source,
  occurrences: seen.occurrences,
  first_seen: seen.first_seen.toISOString(),
  last_seen: seen.last_seen.toISOString(),
});

export const presentTypeWithStats = (seen: SeenName): EventTypeWithStatsWire => {
  const { type } = seen;
  const record = type ? presentRecorded(type) : { id: null, created_at: null, modified_at: null };
  return {
    ...record,
    ...presentName(seen),
    label_property_selector: type?.label_property_selector ?? null,
    organization_id: seen.organization_id,
  };
};
