import type { GetUsageReply, GetUsageRequest } from '@tributary/proto/gen/metering/v1/metering.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Meter } from '../meters/meter.ts';
import { metersById } from '../meters/store.ts';
import { consumedUnits, recount, type Span, type TotalsRow } from './measure-store.ts';
import { isSummable, NOTHING, without } from './periods.ts';
import { creditedIn, enclosingPeriod } from './usage-read-store.ts';

/** What a customer consumed and was credited on meters, each over its own half-open period. */
export async function readUsage(
  db: Reader,
  { customer_id, periods }: GetUsageRequest,
): Promise<GetUsageReply['usages']> {
  const meters = await metersById(
    db,
    periods.map((period) => period.meter_id),
  );
  const usages: GetUsageReply['usages'] = [];
  for (const { meter_id, start, end } of periods) {
    const meter = meters.get(meter_id);
    const span: Span = { from: start ?? null, to: end ?? null };
    const totals = meter ? await totalsOfSpan(db, meter, customer_id, span) : NOTHING;
    usages.push({
      meter_id,
      consumed_units: meter ? await consumedUnits(db, meter, totals) : '0',
      credited_units: await creditedIn(db, meter_id, customer_id, span),
    });
  }
  return usages;
}

/**
 * Totals of a span. Where a stored period encloses it, only the events that the period has beyond the span are
 * recounted and taken away, which are few at the end of a billing period; else all events of the span are.
 */
async function totalsOfSpan(db: Reader, meter: Meter, customerId: string, span: Span): Promise<TotalsRow> {
  if (!meter.is_backfilled || meter.is_clearing) return recount(db, meter, customerId, span, true);
  const period = await enclosingPeriod(db, meter, customerId, span);
  if (!period) return recount(db, meter, customerId, span);
  const before = isAtLeast(period.first_event_at, span.from)
    ? NOTHING
    : await recount(db, meter, customerId, { from: period.starts_at, to: span.from });
  const after = isBefore(period.last_event_at, span.to)
    ? NOTHING
    : await recount(db, meter, customerId, { from: span.to, to: period.ends_at });
  if (before.last_event_at === null && after.last_event_at === null) return period;
  if (isSummable(meter.aggregation.func)) return without(without(period, before), after);
  return recount(db, meter, customerId, span);
}

/** No event at all, or no bound, leaves nothing on the other side. */
const isAtLeast = (first: Date | null, from: Date | null) => first === null || from === null || first >= from;
const isBefore = (last: Date | null, to: Date | null) => last === null || to === null || last < to;
