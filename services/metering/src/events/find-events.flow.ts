import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Replica } from '@tributary/runtime/replica/replica.ts';
import { externalCustomers } from '../customers/external-store.ts';
import { findMeter } from '../meters/store.ts';
import type { CustomerCopy } from '../replicas.ts';
import type { EventInContext } from './present.ts';
import { type EventFilters, listEvents } from './store.ts';

/** What else events may be asked for by, in terms of other resources. */
interface Wanted {
  external_customer_id?: readonly string[];
  /** Applies that meter's filter. */
  meter_id?: string;
  /** Organizations whose meters the caller may name. */
  reachable: readonly string[];
}

/** A page of events, by their own fields, by the external ids of their customers and by a meter's filter. */
export async function findEvents(
  db: Reader,
  copies: Replica<CustomerCopy>,
  filters: EventFilters,
  { external_customer_id, meter_id, reachable }: Wanted,
  paging: Paging,
  sorting: readonly SortCriterion<'timestamp'>[],
): Promise<Page<EventInContext>> {
  const meter = meter_id === undefined ? undefined : await findMeter(db, reachable, meter_id);
  if (meter_id !== undefined && !meter)
    throw invalid(['query', 'meter_id'], 'Meter not found.', 'value_error', meter_id);
  const external = await externalCustomers(db, filters.organizations, external_customer_id);
  const formulas = meter ? [...filters.filters, meter.filter] : filters.filters;
  return listEvents(db, copies, { ...filters, filters: formulas, external }, paging, sorting);
}
