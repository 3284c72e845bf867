import type { Conditions } from '../sql.ts';
import type { Counting, Gap } from './meter.ts';

/** Leaves out events that came while the meter was archived. */
export function addGaps(conditions: Conditions, gaps: readonly Gap[]): void {
  for (const { after, to } of gaps) {
    if (to === null) conditions.add('event.id <= ?', after);
    else conditions.add('(event.id <= ? or event.id > ?)', after, to);
  }
}

/** Keeps only events that the meter has counted: the SQL of `countsEvent`. */
export function addCounted(conditions: Conditions, meter: Counting): void {
  if (meter.is_clearing) {
    conditions.add('false');
    return;
  }
  addGaps(conditions, meter.gaps);
  if (meter.is_backfilled) return;
  if (meter.backfill_timestamp === null) conditions.add('event.id > ?', meter.live_after);
  else {
    conditions.add(
      '(event.id > ? or (event.timestamp, event.id) <= (?, ?::uuid))',
      meter.live_after,
      meter.backfill_timestamp,
      meter.backfill_id,
    );
  }
}
