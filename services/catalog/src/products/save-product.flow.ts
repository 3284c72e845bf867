import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Issue } from '@tributary/runtime/http/problem.ts';
import type { FileLinks } from '../files/links.ts';
import {
  bodyIssue,
  customFieldIssues,
  fixedIntervalIssues,
  intervalIssues,
  issueAt,
  mediaIssues,
  meterIssues,
  priceIssues,
  refuse,
  type Surroundings,
} from './check-product.flow.ts';
import { leadingAmount, newPrice, type Price, type PriceTerms } from './price.ts';
import { termsOf } from './price-schema.ts';
import { pricesOfProducts, replacePrices } from './price-store.ts';
import { type Product, trialFaults } from './product.ts';
import { publishProduct } from './publish-product.flow.ts';
import type { ProductCreate, ProductUpdate, ProductWire } from './schema.ts';
import { insertProduct, replaceCustomFields, replaceMedias, updateProduct } from './store.ts';

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
