import { parseDecimal, toWire, ZERO } from '@tributary/runtime/decimal.ts';
import type { Books, Part } from '@tributary/runtime/reconciliation/books.ts';
import { equal, none, unknown } from '@tributary/runtime/reconciliation/report.ts';
import { filterSql } from '../filters/sql.ts';
import { addCounted } from '../meters/counted-sql.ts';
import type { Meter } from '../meters/meter.ts';
import { quantitySql } from '../meters/quantity-sql.ts';
import { Conditions } from '../sql.ts';
import { keptFrom } from './kept-from.ts';
import { someIdBetween } from './some-id.ts';

const MAX_METERS = 1_000;
const MAX_EXAMPLES = 5;
/** Of a meter with too many events to count them all, as many customers are looked at. */
const SAMPLE = 20;
/** How much of the time that is left one meter may take. */
const SHARE_OF_A_METER = 0.2;
/** With less time left than this, no further meter is begun. */
const LEAST_MS = 200;

interface Recount {
  expected: string;
  found: string;
  differing: number;
  examples: string[];
}

/**
 * Running totals against a recount of the raw events, meter by meter, beginning with another one each time. A meter
 * that takes too long is recounted for some of its customers, another choice of them each time.
 * @param retentionMonths after which events are deleted: what they came to cannot be recounted
 */
export const totalsPart = (retentionMonths: number | undefined): Part => ({
  name: 'customer meters: totals as their events say',
  async read(books) {
    const kept = retentionMonths === undefined ? null : keptFrom(new Date(), retentionMonths);
    const meters = await shuffledMeters(books);
    const counts = { whole: 0, sampled: 0, differing: 0 };
    let [expected, found] = [ZERO, ZERO];
    const examples: string[] = [];
    for (const meter of meters) {
      if (books.leftMs() < LEAST_MS) break;
      const recount = async (sample?: readonly string[]) =>
        books.attempt(SHARE_OF_A_METER, () => recountMeter(books, meter, kept, sample));
      const whole = await recount();
      const result = whole ?? (await recount(await someCustomers(books, meter)));
      if (!result) continue;
      counts[whole ? 'whole' : 'sampled'] += 1;
      counts.differing += result.differing;
      expected = expected.plus(parseDecimal(result.expected));
      found = found.plus(parseDecimal(result.found));
      examples.push(...result.examples.map((customer) => `meter ${meter.id} customer ${customer}`));
    }
    const figures = [
      {
        name: 'customer meters: meters recounted',
        value: `${counts.whole} whole and ${counts.sampled} by sample of ${meters.length}`,
      },
    ];
    if (meters.length > 0 && counts.whole + counts.sampled === 0)
      return { checks: [unknown('customer meters: totals as their events say', 'took too long')], figures };
    return {
      checks: [
        equal('customer meters: entries counted', toWire(expected), toWire(found)),
        none(
          'customer meters: totals other than their events say',
          counts.differing,
          examples.slice(0, MAX_EXAMPLES),
        ),
      ],
      figures,
    };
  },
});

/** Meters that hold totals. */
const shuffledMeters = (books: Books): Promise<Meter[]> =>
  books.query<Meter>(`select * from meters where not is_clearing order by random() limit ${MAX_METERS}`);

/** Customers whose ids follow one another from some place on. */
async function someCustomers(books: Books, meter: Meter): Promise<string[]> {
  const own = [meter.organization_id, meter.id];
  const of = 'from customer_meters where organization_id = $1 and meter_id = $2';
  const [ends] = await books.query<{ first: string | null; last: string | null }>(
    `select (select customer_id ${of} order by customer_id limit 1) as first,
       (select customer_id ${of} order by customer_id desc limit 1) as last`,
    own,
  );
  const rows = await books.query<{ customer_id: string }>(
    `select customer_id ${of} and customer_id >= $3 order by customer_id limit ${SAMPLE}`,
    [...own, someIdBetween(ends!.first, ends!.last)],
  );
  return rows.map((row) => row.customer_id);
}

/**
 * Compares each customer's totals, of all periods together, with the events that the meter has counted. What `unique`
 * has seen is told apart by period, so of it only the number of entries is compared.
 */
async function recountMeter(
  books: Books,
  meter: Meter,
  kept: Date | null,
  sample: readonly string[] | undefined,
): Promise<Recount> {
  const conditions = new Conditions()
    .add('event.organization_id = ?', meter.organization_id)
    .add(`event.source = 'user'`)
    .add('event.customer_id is not null')
    .addIf(sample, 'event.customer_id = any(?)')
    .addSql((binder) => filterSql(meter.filter, 'event', binder));
  addCounted(conditions, meter);
  const quantity = quantitySql(meter.aggregation, 'event', conditions);
  const isNumeric = meter.aggregation.func !== 'unique';
  const sums = isNumeric
    ? 'sum(quantity) as sum, max(quantity) as max, min(quantity) as min'
    : '0 as sum, null::numeric as max, null::numeric as min';
  const current = new Conditions(conditions.values)
    .add('organization_id = ?', meter.organization_id)
    .add('meter_id = ?', meter.id)
    .addIf(sample, 'customer_id = any(?)');
  const earlier = new Conditions(conditions.values)
    .add('meter_id = ?', meter.id)
    .addIf(sample, 'customer_id = any(?)');
  const from = `${conditions.bind(kept)}::timestamptz`;
  const [row] = await books.query<Recount>(
    `with measured as (
       select customer_id, count(*) as count, ${sums}
       from (select event.customer_id, ${quantity} as quantity from events event where ${conditions.where}) matching
       where quantity is not null group by customer_id
     ), totals as (
       select customer_id, sum(measured_count) as count, sum(measured_sum) as sum, max(measured_max) as max,
         min(measured_min) as min, min(first_event_at) as first_event_at
       from (
         select customer_id, measured_count, measured_sum, measured_max, measured_min, first_event_at
         from customer_meters where ${current.where}
         union all
         select customer_id, measured_count, measured_sum, measured_max, measured_min, first_event_at
         from usage_periods where ${earlier.where}
       ) period group by customer_id
     ), compared as (
       select customer_id, coalesce(measured.count, 0) as expected, coalesce(totals.count, 0) as found,
         coalesce(measured.count, 0) <> coalesce(totals.count, 0)
           or coalesce(measured.sum, 0) <> coalesce(totals.sum, 0)
           ${extremes(meter)} as differs
       from measured full join totals using (customer_id)
       where ${from} is null or coalesce(totals.first_event_at >= ${from}, true)
     )
     select coalesce(sum(expected), 0)::text as expected, coalesce(sum(found), 0)::text as found,
       count(*) filter (where differs) as differing,
       array(select customer_id::text from compared where differs order by 1 limit ${MAX_EXAMPLES}) as examples
     from compared`,
    conditions.values,
  );
  return row!;
}

/** Other functions may lose their extremes when a period is cut in two, and never ask for them. */
const extremes = ({ aggregation: { func } }: Meter): string =>
  func === 'max' || func === 'min' ? `or measured.${func} is distinct from totals.${func}` : '';
