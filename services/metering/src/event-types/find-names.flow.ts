import type { Reader } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { externalCustomers } from '../customers/external-store.ts';
import type { SeenName } from './event-type.ts';
import { listNames, type NameFilters, type NameSortKey } from './store.ts';

/** A page of the names of events, of the customers that external ids mean or meant. */
export async function findNames(
  db: Reader,
  filters: NameFilters,
  externalIds: readonly string[] | undefined,
  paging: Paging,
  sorting: readonly SortCriterion<NameSortKey>[],
): Promise<Page<SeenName>> {
  const external = await externalCustomers(db, filters.organizations, externalIds);
  return listNames(db, { ...filters, external }, paging, sorting);
}
