import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { findCustomFields } from '../custom-fields/store.ts';
import { findUploaded } from '../files/store.ts';
import type { MeterCopy, OrganizationCopy } from '../replicas.ts';
import { type PriceTerms, priceSetFaults } from './price.ts';
import type { PriceCreate } from './price-schema.ts';
import { type Fault, meterIntervalFaults, type Product, trialFaults } from './product.ts';
import type { ProductUpdate } from './schema.ts';

/** What a product is checked against and other services own; to be read before the transaction. */
export interface Surroundings {
  organization: OrganizationCopy | undefined;
  meters: ReadonlyMap<string, MeterCopy>;
}

export async function readSurroundings(
  app: App,
  organizationId: string,
  prices: readonly (PriceCreate | { id: string })[],
): Promise<Surroundings> {
  const { organizations, meters } = app.replicas;
  return {
    organization: (await organizations.get(app.db, [organizationId])).get(organizationId),
    meters: await meters.get(
      app.db,
      prices.flatMap((price) => ('meter_id' in price ? price.meter_id : [])),
    ),
  };
}

export function priceIssues(
  terms: readonly PriceTerms[],
  product: Product,
  { organization }: Surroundings,
): Issue[] {
  const faults = priceSetFaults(terms, {
    isRecurring: product.recurring_interval !== null,
    defaultCurrency: organization?.default_presentment_currency ?? 'usd',
    hasSeatPricing: organization?.feature_settings?.seat_based_pricing_enabled === true,
  });
  return faults.map(({ path, msg }) => issueAt(['prices', ...path], msg));
}

export function meterIssues(
  prices: readonly (PriceCreate | { id: string })[],
  organizationId: string,
  meters: ReadonlyMap<string, MeterCopy>,
): Issue[] {
  return prices.flatMap((price, index) => {
    if (!('meter_id' in price)) return [];
    const meter = meters.get(price.meter_id);
    if (meter?.organization_id !== organizationId)
      return [issueAt(['prices', index, 'meter_id'], 'Meter not found.', price.meter_id)];
    return meter.archived_at === null
      ? []
      : [issueAt(['prices', index, 'meter_id'], 'Meter is archived.', price.meter_id)];
  });
}

export function intervalIssues(product: Product, organization: OrganizationCopy | undefined): Issue[] {
  const { recurring_interval, recurring_interval_count, meter_interval, meter_interval_count } = product;
  const faults = trialFaults(product);
  if (meter_interval !== null) {
    if (organization?.feature_settings?.meter_cycling_enabled !== true) {
      faults.push({
        path: ['meter_interval'],
        msg: 'Metering periods are not enabled for this organization.',
      });
    }
    const billing = { interval: recurring_interval!, count: recurring_interval_count! };
    faults.push(...meterIntervalFaults({ interval: meter_interval, count: meter_interval_count! }, billing));
  }
  return faults.map(bodyIssue);
}

/** How often a product recurs is settled when it is made. */
export function fixedIntervalIssues(product: Product, input: ProductUpdate): Issue[] {
  return (['recurring_interval', 'recurring_interval_count'] as const).flatMap((field) =>
    input[field] == null || input[field] === product[field]
      ? []
      : [issueAt([field], 'The recurring interval of a product cannot change.', input[field])],
  );
}

export async function mediaIssues(tx: Tx, organizationId: string, ids: readonly string[]): Promise<Issue[]> {
  const found = new Set(
    (await findUploaded(tx, organizationId, 'product_media', ids)).map((file) => file.id),
  );
  return listIssues(ids, found, (index) => ['medias', index], 'File');
}

export async function customFieldIssues(
  tx: Tx,
  organizationId: string,
  attached: readonly { custom_field_id: string }[],
): Promise<Issue[]> {
  const ids = attached.map((field) => field.custom_field_id);
  const found = new Set((await findCustomFields(tx, organizationId, ids)).map((field) => field.id));
  return listIssues(
    ids,
    found,
    (index) => ['attached_custom_fields', index, 'custom_field_id'],
    'Custom field',
  );
}

function listIssues(
  ids: readonly string[],
  found: ReadonlySet<string>,
  at: (index: number) => (string | number)[],
  what: string,
): Issue[] {
  return ids.flatMap((id, index) => {
    if (!found.has(id)) return [issueAt(at(index), `${what} not found.`, id)];
    return ids.indexOf(id) === index ? [] : [issueAt(at(index), `${what} listed twice.`, id)];
  });
}

export const issueAt = (path: (string | number)[], msg: string, input?: unknown): Issue => ({
  loc: ['body', ...path],
  msg,
  type: 'value_error',
  ...(input === undefined ? {} : { input }),
});

export const bodyIssue = ({ path, msg }: Fault): Issue => issueAt(path, msg);

export function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationProblem([...issues]);
}
