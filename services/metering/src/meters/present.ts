import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { ShownMeter } from './meter.ts';
import type { MeterWire } from './schema.ts';

/** A meter as the API, webhooks and the state topic show it. */
export const presentMeter = (meter: ShownMeter): MeterWire => ({
  ...presentRecorded(meter),
  metadata: meter.metadata,
  name: meter.name,
  unit: meter.unit,
  custom_label: meter.custom_label,
  custom_multiplier: meter.custom_multiplier,
  filter: meter.filter,
  aggregation: meter.aggregation,
  organization_id: meter.organization_id,
  archived_at: iso(meter.archived_at),
});
