import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { Problem, ServiceUnavailable } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { isMetered } from '../products/price.ts';
import { copyTables, localCopies } from '../replicas.ts';
import { withParts } from './load-parts.flow.ts';
import type { MeteredPart, MeterTotals, SubscriptionParts } from './present.ts';
import type { Subscription } from './subscription.ts';

/** Parts with the organization, for mails and the portal. */
export interface FullParts extends SubscriptionParts {
  organization: OrganizationCopy;
}

/**
 * Asks other services for copies that are not here yet. Call it before a transaction that presents the subscriptions:
 * inside, only local copies can be read.
 */
export async function fetchCopies(app: App, subscriptions: readonly Subscription[]): Promise<void> {
  const { organizations, products, meters } = app.replicas;
  const reader = app.db.manager;
  const idsOf = (of: (subscription: Subscription) => string | string[]) => subscriptions.flatMap(of);
  await Promise.all([
    organizations.get(
      reader,
      idsOf((one) => one.organization_id),
    ),
    products.get(
      reader,
      idsOf((one) => one.product_id),
    ),
    meters.get(
      reader,
      idsOf(({ prices }) => prices.filter(isMetered).map(({ meter_id }) => meter_id)),
    ),
  ]);
}

/** What each subscription shows, by id, from local copies: a fixed number of statements, no remote call. */
export async function loadParts(
  reader: Reader,
  subscriptions: readonly Subscription[],
): Promise<Map<string, FullParts>> {
  if (subscriptions.length === 0) return new Map();
  const told = new Map((await withParts(reader, subscriptions)).map((one) => [one.subscription.id, one]));
  const organizations = await localCopies<OrganizationCopy>(
    reader,
    copyTables.organizations,
    subscriptions.map(({ organization_id }) => organization_id),
  );
  return new Map(
    subscriptions.map(({ id, product_id, organization_id }) => {
      const parts = told.get(id) ?? missing('product', product_id);
      const organization = organizations.get(organization_id) ?? missing('organization', organization_id);
      return [id, { ...parts, organization }];
    }),
  );
}

/** Products and organizations are never erased, so a copy that is missing is one that could not be fetched. */
function missing(what: string, id: string): never {
  throw new Problem(ServiceUnavailable, `The ${what} ${id} cannot be read now.`);
}

/** The parts of a page, with usage as metering has it now: one call for the whole page. */
export async function loadLiveParts(
  app: App,
  subscriptions: readonly Subscription[],
): Promise<Map<string, FullParts>> {
  await fetchCopies(app, subscriptions);
  const parts = await loadParts(app.db.manager, subscriptions);
  const totals = await liveTotals(app, parts);
  if (!totals) return parts;
  const live = (customerId: string) => (part: MeteredPart) => ({
    ...part,
    ...totals.get(keyOf(customerId, part.row.meter_id)),
  });
  return new Map(
    [...parts].map(([id, part]) => [id, { ...part, meters: part.meters.map(live(part.customer.id)) }]),
  );
}

const keyOf = (customerId: string, meterId: string) => `${customerId} ${meterId}`;
const MAX_KEYS = 1_000;

/** While metering is out of reach the last copies of its totals have to do. */
async function liveTotals(
  app: App,
  parts: ReadonlyMap<string, FullParts>,
): Promise<ReadonlyMap<string, MeterTotals> | undefined> {
  const keys = new Map(
    [...parts.values()].flatMap(({ customer, meters }) =>
      meters.map(({ row: { meter_id } }) => [
        keyOf(customer.id, meter_id),
        { customer_id: customer.id, meter_id },
      ]),
    ),
  );
  if (keys.size === 0 || keys.size > MAX_KEYS) return undefined;
  try {
    const { totals } = await app.metering.getCustomerMeters({ keys: [...keys.values()] });
    return new Map(
      totals.map(({ customer_id, meter_id, consumed_units, credited_units }) => [
        keyOf(customer_id, meter_id),
        { consumed_units: Number(consumed_units), credited_units },
      ]),
    );
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    app.log.warn({ err: error }, 'metering is out of reach: showing the last usage known');
    return undefined;
  }
}
