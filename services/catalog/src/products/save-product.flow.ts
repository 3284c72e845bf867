import { stateChanged, webhookEvent } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/runtime/db/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { benefitsById, benefitsOfProducts } from '../benefits/store.ts';
import { findCustomFields } from '../custom-fields/store.ts';
import type { FileLinks } from '../files/links.ts';
import { findUploaded } from '../files/store.ts';
import type { MeterCopy, OrganizationCopy } from '../replicas.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { loadProduct, loadProducts } from './load-products.flow.ts';
import { presentProduct } from './present.ts';
import { leadingAmount, type Price, type PriceTerms, priceSetFaults } from './price.ts';
import { type PriceCreate, termsOf } from './price-schema.ts';
import { type Fault, lockedBenefits, meterIntervalFaults, type Product, trialFaults } from './product.ts';
import type { ProductCreate, ProductUpdate, ProductWire } from './schema.ts';
import {
  getProduct,
  insertProduct,
  pricesOfProducts,
  replaceBenefits,
  replaceCustomFields,
  replaceMedias,
  replacePrices,
  updateProduct,
} from './store.ts';

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

export async function createProduct(
  tx: Tx,
  organizationId: string,
  input: ProductCreate,
  surroundings: Surroundings,
  links: FileLinks,
  now: Date,
): Promise<ProductWire> {
  const terms = input.prices.map(termsOf);
  const id = newId();
  const product: Product = {
    ...columnsOf(input),
    ...leading(terms),
    id,
    organization_id: organizationId,
    created_at: now,
  };
  refuse([
    ...intervalIssues(product, surroundings.organization),
    ...priceIssues(terms, product, surroundings),
    ...meterIssues(input.prices, organizationId, surroundings.meters),
    ...(await mediaIssues(tx, organizationId, input.medias ?? [])),
    ...(await customFieldIssues(tx, organizationId, input.attached_custom_fields ?? [])),
  ]);
  await insertProduct(tx, product);
  const prices = terms.map((price, position) => newPrice(id, price, position, now));
  await replacePrices(tx, [], prices, now);
  if (input.medias?.length) await replaceMedias(tx, id, input.medias);
  if (input.attached_custom_fields?.length) await replaceCustomFields(tx, id, input.attached_custom_fields);
  return publishProduct(tx, product, links, { type: 'product.created', now });
}

function columnsOf(input: ProductCreate) {
  const recurring = 'recurring_interval' in input && input.recurring_interval ? input : undefined;
  return {
    modified_at: null,
    name: input.name,
    description: input.description ?? null,
    visibility: input.visibility ?? 'public',
    recurring_interval: recurring?.recurring_interval ?? null,
    recurring_interval_count: recurring?.recurring_interval_count ?? null,
    trial_interval: recurring?.trial_interval ?? null,
    trial_interval_count: recurring?.trial_interval_count ?? null,
    meter_interval: recurring?.meter_interval ?? null,
    meter_interval_count: recurring?.meter_interval ? (recurring.meter_interval_count ?? 1) : null,
    is_archived: false,
    metadata: input.metadata ?? {},
  } as const;
}

const leading = (terms: readonly PriceTerms[]) => {
  const { type, amount } = leadingAmount(terms);
  return { first_amount_type: type, first_amount: amount };
};

const newPrice = (productId: string, terms: PriceTerms, position: number, now: Date): Price => ({
  ...terms,
  id: newId(),
  created_at: now,
  modified_at: null,
  product_id: productId,
  position,
  source: 'catalog',
  is_archived: false,
  legacy_recurring_interval: null,
});

export async function changeProduct(
  tx: Tx,
  current: Product,
  input: ProductUpdate,
  surroundings: Surroundings,
  links: FileLinks,
  now: Date,
): Promise<ProductWire> {
  const product = withChanges(current, input, now);
  const before = (await pricesOfProducts(tx, [current.id])).get(current.id) ?? [];
  const { prices, issues } = nextPrices(before, input.prices, current.id, now);
  refuse([
    ...issues,
    ...fixedIntervalIssues(current, input),
    ...trialFaults(product).map(bodyIssue),
    ...(input.prices ? priceIssues(prices, product, surroundings) : []),
    ...meterIssues(input.prices ?? [], current.organization_id, surroundings.meters),
    ...(await mediaIssues(tx, current.organization_id, input.medias ?? [])),
    ...(await customFieldIssues(tx, current.organization_id, input.attached_custom_fields ?? [])),
  ]);
  if (input.prices) await replacePrices(tx, before, prices, now);
  if (input.medias) await replaceMedias(tx, current.id, input.medias);
  if (input.attached_custom_fields) await replaceCustomFields(tx, current.id, input.attached_custom_fields);
  const changed = { ...product, ...leading(prices) };
  await updateProduct(tx, changed);
  return publishProduct(tx, changed, links, { type: 'product.updated', now });
}

/** Null keeps what a field cannot be without, and clears the others. */
const withChanges = (product: Product, input: ProductUpdate, now: Date): Product => ({
  ...product,
  modified_at: now,
  metadata: input.metadata ?? product.metadata,
  name: input.name ?? product.name,
  description: input.description === undefined ? product.description : input.description,
  visibility: input.visibility ?? product.visibility,
  is_archived: input.is_archived ?? product.is_archived,
  trial_interval: input.trial_interval === undefined ? product.trial_interval : input.trial_interval,
  trial_interval_count:
    input.trial_interval_count === undefined ? product.trial_interval_count : input.trial_interval_count,
});

function nextPrices(
  before: readonly Price[],
  wanted: ProductUpdate['prices'],
  productId: string,
  now: Date,
): { prices: Price[]; issues: Issue[] } {
  if (!wanted) return { prices: [...before], issues: [] };
  const byId = new Map(before.map((price) => [price.id, price]));
  const issues: Issue[] = [];
  const prices = wanted.flatMap((price, index) => {
    if ('amount_type' in price) return newPrice(productId, termsOf(price), index, now);
    const kept = byId.get(price.id);
    byId.delete(price.id);
    if (kept) return kept;
    issues.push(issueAt(['prices', index, 'id'], 'Price not found.', price.id));
    return [];
  });
  return { prices, issues };
}

/** Sets the benefits of a product and has its customers' grants follow. */
export async function changeBenefits(
  tx: Tx,
  product: Product,
  ids: readonly string[],
  links: FileLinks,
  now: Date,
): Promise<ProductWire> {
  const current = (await benefitsOfProducts(tx, [product.id])).get(product.id) ?? [];
  const found = await benefitsById(tx, ids);
  const issues: Issue[] = [];
  const wanted = ids.flatMap((id, index) => {
    const benefit = found.get(id);
    const isKnown = benefit?.organization_id === product.organization_id && benefit.deleted_at === null;
    if (isKnown && ids.indexOf(id) === index) return benefit;
    issues.push(issueAt(['benefits', index], isKnown ? 'Benefit listed twice.' : 'Benefit not found.', id));
    return [];
  });
  const { added, removed } = lockedBenefits(current, wanted);
  for (const id of added)
    issues.push(issueAt(['benefits', ids.indexOf(id)], 'This benefit cannot be attached.', id));
  for (const id of removed) issues.push(issueAt(['benefits'], 'This benefit cannot be removed.', id));
  refuse(issues);
  await replaceBenefits(tx, product.id, ids);
  const changed = { ...product, modified_at: now };
  await updateProduct(tx, changed);
  await requestSweep(tx, 'entitlements-of-product', product.id, now);
  return publishProduct(tx, changed, links, { type: 'product.updated', now });
}

/** Tells of a product's new state, and of the merchant's change to webhooks. */
async function publishProduct(
  tx: Tx,
  product: Product,
  links: FileLinks,
  { type, now }: { type: 'product.created' | 'product.updated'; now: Date },
): Promise<ProductWire> {
  const presented = presentProduct(await loadProduct(tx, product), links);
  await emit(tx, [
    stateChanged('products', product.id, presented),
    webhookEvent(type, product.organization_id, presented, now),
  ]);
  return presented;
}

/** Tells of the new state of products after something they embed has changed. */
export async function republishProducts(
  tx: Tx,
  products: readonly Product[],
  links: FileLinks,
): Promise<void> {
  const views = await loadProducts(tx, products);
  await emit(
    tx,
    views.map((view) => stateChanged('products', view.product.id, presentProduct(view, links))),
  );
}

export const lockProduct = (tx: Tx, organizationIds: readonly string[], id: string): Promise<Product> =>
  getProduct(tx, organizationIds, id, true);

function priceIssues(
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

function meterIssues(
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

function intervalIssues(product: Product, organization: OrganizationCopy | undefined): Issue[] {
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
function fixedIntervalIssues(product: Product, input: ProductUpdate): Issue[] {
  return (['recurring_interval', 'recurring_interval_count'] as const).flatMap((field) =>
    input[field] == null || input[field] === product[field]
      ? []
      : [issueAt([field], 'The recurring interval of a product cannot change.', input[field])],
  );
}

async function mediaIssues(tx: Tx, organizationId: string, ids: readonly string[]): Promise<Issue[]> {
  const found = new Set(
    (await findUploaded(tx, organizationId, 'product_media', ids)).map((file) => file.id),
  );
  return listIssues(ids, found, (index) => ['medias', index], 'File');
}

async function customFieldIssues(
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

const issueAt = (path: (string | number)[], msg: string, input?: unknown): Issue => ({
  loc: ['body', ...path],
  msg,
  type: 'value_error',
  ...(input === undefined ? {} : { input }),
});

const bodyIssue = ({ path, msg }: Fault): Issue => issueAt(path, msg);

function refuse(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new ValidationProblem([...issues]);
}
