import { isDeepStrictEqual } from 'node:util';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { Metadata } from '@tributary/runtime/http/wire.ts';
import type { Filter } from '../filters/schema.ts';
import type { Aggregation, MeterCreate, MeterUnit, MeterUpdate } from './schema.ts';

/** Events whose ids are greater than `after` and at most `to` came while the meter was archived. */
export interface Gap {
  after: string;
  to: string | null;
}

export interface Meter {
  id: string;
  organization_id: string;
  name: string;
  unit: MeterUnit;
  custom_label: string | null;
  custom_multiplier: number | null;
  filter: Filter;
  aggregation: Aggregation;
  metadata: Metadata;
  archived_at: Date | null;
  /** Set when usage was first billed: from then on filter and aggregation stay as they are. */
  billed_at: Date | null;
  /** Events with greater ids are counted when they are ingested. */
  live_after: string;
  /** Whether all events that were there before have been counted too. */
  is_backfilled: boolean;
  /** How far the backfill has come, in the order of timestamp and id; null before its first step. */
  backfill_timestamp: Date | null;
  backfill_id: string | null;
  /** The totals of a former filter are being removed; until then nothing is counted. */
  is_clearing: boolean;
  gaps: Gap[];
  created_at: Date;
  modified_at: Date | null;
}

/** What a meter is made of. */
export type NewMeter = Pick<
  Meter,
  | 'organization_id'
  | 'name'
  | 'unit'
  | 'custom_label'
  | 'custom_multiplier'
  | 'filter'
  | 'aggregation'
  | 'metadata'
>;

/** What others are shown of a meter. */
export type ShownMeter = NewMeter & Pick<Meter, 'id' | 'archived_at' | 'created_at' | 'modified_at'>;

type AsJson<T> = { [K in keyof T]: T[K] extends Date | null ? string | Extract<T[K], null> : T[K] };

/** A meter's row as JSON (`to_jsonb`), read. */
export const meterOfJson = (row: AsJson<ShownMeter>): ShownMeter => ({
  ...row,
  archived_at: row.archived_at === null ? null : new Date(row.archived_at),
  created_at: new Date(row.created_at),
  modified_at: row.modified_at === null ? null : new Date(row.modified_at),
});

export type MeterJson = AsJson<ShownMeter>;

/** What decides which events a meter has counted. */
export type Counting = Pick<
  Meter,
  'live_after' | 'is_backfilled' | 'backfill_timestamp' | 'backfill_id' | 'is_clearing' | 'gaps'
>;

/** Whether the meter has counted, or must count, an event that is stored now: see the columns of `Meter`. */
export function countsEvent(meter: Counting, event: { id: string; timestamp: number }): boolean {
  if (meter.is_clearing || isInGap(meter.gaps, event.id)) return false;
  if (event.id > meter.live_after || meter.is_backfilled) return true;
  if (meter.backfill_timestamp === null || meter.backfill_id === null) return false;
  const reached = meter.backfill_timestamp.getTime();
  return event.timestamp < reached || (event.timestamp === reached && event.id <= meter.backfill_id);
}

const isInGap = (gaps: readonly Gap[], id: string) =>
  gaps.some((gap) => id > gap.after && (gap.to === null || id <= gap.to));

type Labels = Pick<Meter, 'unit' | 'custom_label' | 'custom_multiplier'>;

/**
 * Unit, label and multiplier after a request: a custom unit needs a label, the others take neither label nor
 * multiplier (domain rules 8.5). Leaving `custom` drops what only it has.
 */
export function labelsAfter(before: Labels, sent: MeterCreate | MeterUpdate): Labels {
  const unit = sent.unit ?? before.unit;
  const issues: Issue[] = [];
  if (unit !== 'custom') {
    for (const field of ['custom_label', 'custom_multiplier'] as const) {
      if (sent[field] != null) issues.push(misplaced(field, `Only allowed for unit custom, not ${unit}`));
    }
    if (issues.length > 0) throw new ValidationProblem(issues);
    return { unit, custom_label: null, custom_multiplier: null };
  }
  const custom_label = sent.custom_label === undefined ? before.custom_label : sent.custom_label;
  const custom_multiplier =
    sent.custom_multiplier === undefined ? before.custom_multiplier : sent.custom_multiplier;
  if (custom_label === null || custom_label === '') {
    throw new ValidationProblem([misplaced('custom_label', 'Required for unit custom')]);
  }
  return { unit, custom_label, custom_multiplier };
}

const misplaced = (field: string, msg: string): Issue => ({
  loc: ['body', field],
  msg,
  type: 'value_error',
});

/** Which of filter and aggregation a request changes; 422 `forbidden` once usage has been billed. */
export function countingChanges(meter: Meter, sent: MeterUpdate): ('filter' | 'aggregation')[] {
  const changed = (['filter', 'aggregation'] as const).filter(
    (field) => sent[field] != null && !isDeepStrictEqual(sent[field], meter[field]),
  );
  if (meter.billed_at !== null && changed.length > 0) {
    throw new ValidationProblem(
      changed.map((field) => ({
        loc: ['body', field],
        msg: 'Usage of this meter has been billed; its filter and aggregation can no longer change.',
        type: 'forbidden',
      })),
    );
  }
  return changed;
}
