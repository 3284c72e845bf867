import { stateChanged } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import { pageOf, whereContains, whereIn, whereMetadata } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import type { MetadataFilter } from '@tributary/runtime/http/wire.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { drawLine } from '../organization-locks.ts';
import type { Sql } from '../sql.ts';
import { MeterEntity } from './entity.ts';
import type { Meter, NewMeter } from './meter.ts';
import { presentMeter } from './present.ts';

export interface MeterFilters {
  organizations: readonly string[];
  query?: string;
  is_archived?: boolean;
  metadata?: MetadataFilter;
}

export type MeterSortKey = 'created_at' | 'name';

const sortColumns: Record<MeterSortKey, string> = { created_at: 'meter.created_at', name: 'meter.name' };

export async function listMeters(
  db: Reader,
  filters: MeterFilters,
  paging: Paging,
  sorting: readonly SortCriterion<MeterSortKey>[],
): Promise<Page<Meter>> {
  const query = db.getRepository(MeterEntity).createQueryBuilder('meter');
  whereContains(query, ['meter.name'], filters.query);
  whereMetadata(query, 'meter.metadata', filters.metadata);
  if (filters.is_archived !== undefined) {
    query.andWhere(`meter.archived_at is ${filters.is_archived ? 'not null' : 'null'}`);
  }
  return pageOf(query, paging, sorting, sortColumns, { organizations: filters.organizations });
}

/** The meter, if one of the organizations has it; else 404. */
export async function readMeter(db: Reader, organizations: readonly string[], id: string): Promise<Meter> {
  const meter = await findMeter(db, organizations, id);
  if (!meter) throw notFound();
  return meter;
}

export async function findMeter(
  db: Reader,
  organizations: readonly string[],
  id: string,
): Promise<Meter | undefined> {
  const meter = await db.getRepository(MeterEntity).findOneBy({ id });
  return meter && organizations.includes(meter.organization_id) ? meter : undefined;
}

export async function metersById(db: Reader, ids: readonly string[]): Promise<Map<string, Meter>> {
  if (ids.length === 0) return new Map();
  const query = db.getRepository(MeterEntity).createQueryBuilder('meter');
  whereIn(query, 'meter.id', [...new Set(ids)]);
  return new Map((await query.getMany()).map((meter) => [meter.id, meter]));
}

/** All meters of an organization, archived ones included. */
export const metersOf = (tx: Tx, organizationId: string): Promise<Meter[]> =>
  tx.getRepository(MeterEntity).findBy({ organization_id: organizationId });

/** The meter with its row locked, if one of the organizations has it; else 404. */
export async function lockMeter(tx: Tx, organizations: readonly string[], id: string): Promise<Meter> {
  const meter = await tx
    .getRepository(MeterEntity)
    .findOne({ where: { id }, lock: { mode: 'pessimistic_write' } });
  if (!meter || !organizations.includes(meter.organization_id)) throw notFound();
  return meter;
}

/** A new meter counts what is ingested from now on at once; the backfill brings what was there before. */
export async function insertMeter(tx: Tx, given: NewMeter, now: Date): Promise<Meter> {
  const meter: Meter = {
    ...given,
    id: newId(),
    archived_at: null,
    billed_at: null,
    ...(await startCounting(tx, given.organization_id)),
    gaps: [],
    created_at: now,
    modified_at: null,
  };
  await tx.getRepository(MeterEntity).insert(meter);
  await emit(tx, [stateChanged('meters', meter.id, presentMeter(meter))]);
  return meter;
}

/** Saves what changed and tells the other services. */
export async function saveMeter(tx: Tx, meter: Meter, changes: Partial<Meter>, now: Date): Promise<Meter> {
  const saved: Meter = { ...meter, ...changes, modified_at: now };
  const { id, ...columns } = saved;
  await tx.getRepository(MeterEntity).update({ id }, columns);
  await emit(tx, [stateChanged('meters', id, presentMeter(saved))]);
  return saved;
}

/** How counting begins, or begins anew: from a line on, with everything before it left to the backfill. */
export async function startCounting(tx: Tx, organizationId: string) {
  const live_after = await drawLine(tx, organizationId);
  const [{ has_events }]: [{ has_events: boolean }] = await tx.query(
    `select exists (select from event_tallies where organization_id = $1 and source = 'user') as has_events`,
    [organizationId],
  );
  return {
    live_after,
    is_backfilled: !has_events,
    backfill_timestamp: null,
    backfill_id: null,
    is_clearing: false,
  };
}

/** Whether totals exist that a change of the filter makes wrong. */
export async function hasUsage(tx: Tx, meterId: string, organizationId: string): Promise<boolean> {
  const rows: unknown[] = await tx.query(
    'select 1 from customer_meters where organization_id = $1 and meter_id = $2 limit 1',
    [organizationId, meterId],
  );
  return rows.length > 0;
}

/** What of the catalog uses the meter: an active price of an unarchived product, a live meter credit benefit. */
export async function meterUses(tx: Tx, meterId: string): Promise<('price' | 'benefit')[]> {
  const [uses]: [{ price: boolean; benefit: boolean }] = await tx.query(
    `select
       exists (
         select from products_replica product, jsonb_array_elements(product.value -> 'prices') price
         where product.value -> 'prices' @> jsonb_build_array(jsonb_build_object('meter_id', $1::text))
           and not coalesce((product.value ->> 'is_archived')::boolean, false)
           and price ->> 'meter_id' = $1 and not coalesce((price ->> 'is_archived')::boolean, false)
       ) as price,
       exists (
         select from benefits_replica benefit
         where benefit.value ->> 'type' = 'meter_credit' and benefit.value #>> '{properties,meter_id}' = $1
           and not coalesce((benefit.value ->> 'is_deleted')::boolean, false)
       ) as benefit`,
    [meterId],
  );
  return (['price', 'benefit'] as const).filter((use) => uses[use]);
}

const LIVE_METERS = `
  select id, organization_id, filter, aggregation from meters
  where organization_id = any($1) and archived_at is null and not is_clearing
  order by id`;

/** The meters an ingest counts for, of several organizations. */
export const liveMeters = (
  sql: Sql,
  organizations: readonly string[],
): Promise<Pick<Meter, 'id' | 'organization_id' | 'filter' | 'aggregation'>[]> =>
  sql.query('live-meters', LIVE_METERS, [organizations]);
