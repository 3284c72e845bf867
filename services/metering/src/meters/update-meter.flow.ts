import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import { drawLine } from '../organization-locks.ts';
import { countingChanges, labelsAfter, type Meter } from './meter.ts';
import type { MeterUpdate } from './schema.ts';
import { hasUsage, lockMeter, meterUses, saveMeter, startCounting } from './store.ts';

/** Changes a meter (domain rules 8.5): archiving opens a gap in its counting, another filter starts it anew. */
export async function updateMeter(
  tx: Tx,
  organizations: readonly string[],
  id: string,
  sent: MeterUpdate,
  now: Date,
): Promise<Meter> {
  const meter = await lockMeter(tx, organizations, id);
  const changes: Partial<Meter> = {
    ...labelsAfter(meter, sent),
    name: sent.name ?? meter.name,
    metadata: sent.metadata ?? meter.metadata,
  };
  const recounted = countingChanges(meter, sent);
  if (recounted.length > 0) Object.assign(changes, await recount(tx, meter, sent));
  if (sent.is_archived != null) Object.assign(changes, await archive(tx, meter, sent.is_archived, now));
  return saveMeter(tx, meter, changes, now);
}

/** Totals of the former filter are removed first, step by step; without any, counting starts anew at once. */
async function recount(tx: Tx, meter: Meter, sent: MeterUpdate): Promise<Partial<Meter>> {
  const counting = await startCounting(tx, meter.organization_id);
  const is_clearing = await hasUsage(tx, meter.id, meter.organization_id);
  return {
    filter: sent.filter ?? meter.filter,
    aggregation: sent.aggregation ?? meter.aggregation,
    ...counting,
    is_backfilled: counting.is_backfilled && !is_clearing,
    is_clearing,
  };
}

async function archive(tx: Tx, meter: Meter, wanted: boolean, now: Date): Promise<Partial<Meter>> {
  if (wanted === (meter.archived_at !== null)) return {};
  if (wanted) await refuseWhileUsed(tx, meter.id);
  const line = await drawLine(tx, meter.organization_id);
  const gaps = wanted
    ? [...meter.gaps, { after: line, to: null }]
    : meter.gaps.map((gap) => (gap.to === null ? { ...gap, to: line } : gap));
  return { archived_at: wanted ? now : null, gaps };
}

async function refuseWhileUsed(tx: Tx, id: string): Promise<void> {
  const uses = await meterUses(tx, id);
  if (uses.length === 0) return;
  const what = uses.map((use) =>
    use === 'price' ? 'an active price of a product' : 'a meter credit benefit',
  );
  throw invalid(['body', 'is_archived'], `The meter is used by ${what.join(' and ')}.`);
}
