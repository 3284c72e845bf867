import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { type Issue, NotPermitted, Problem, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { isCapable, type OrganizationCopy } from '../organizations/organization.ts';
import { isPurchasable, type ProductCopy } from '../products/product.ts';
import type { Checkout, Offer } from './checkout.ts';

/** The offers of some checkouts in two statements; may ask other services for what is not known here yet. */
export async function loadOffers(app: App, checkouts: readonly Checkout[]): Promise<Map<string, Offer>> {
  const reader = app.db.manager;
  const [products, organizations] = await Promise.all([
    app.replicas.products.get(
      reader,
      checkouts.flatMap((checkout) => checkout.product_ids),
    ),
    app.replicas.organizations.get(
      reader,
      checkouts.map((checkout) => checkout.organization_id),
    ),
  ]);
  return new Map(
    checkouts.map((checkout) => [
      checkout.id,
      {
        organization: known(organizations, checkout.organization_id),
        products: checkout.product_ids.map((id) => known(products, id)),
      },
    ]),
  );
}

export async function loadOffer(app: App, checkout: Checkout): Promise<Offer> {
  return known(await loadOffers(app, [checkout]), checkout.id);
}

function known<T>(copies: ReadonlyMap<string, T>, id: string): T {
  const copy = copies.get(id);
  if (copy === undefined) throw new Error(`record ${id} is referred to, but nobody knows it`);
  return copy;
}

/**
 * What a new session is to sell: products of one organization the caller reaches, on sale, each named once. Every
 * one that is not is an issue (422) at its place.
 */
export async function composeOffer(
  app: App,
  organizationIds: readonly string[],
  wanted: readonly string[],
): Promise<Offer> {
  const named = await productsNamed(app, wanted);
  const organizationId = named.find(
    (product) => product && organizationIds.includes(product.organization_id),
  )?.organization_id;
  const issues: Issue[] = wanted.flatMap((id, index) => {
    const msg = faultOf(named, index, organizationId);
    return msg ? [{ loc: ['body', 'products', index], msg, type: 'value_error', input: id }] : [];
  });
  if (issues.length > 0 || organizationId === undefined) throw new ValidationProblem(issues);
  const organizations = await app.replicas.organizations.get(app.db.manager, [organizationId]);
  return { organization: known(organizations, organizationId), products: named as ProductCopy[] };
}

function faultOf(
  named: readonly (ProductCopy | undefined)[],
  index: number,
  organizationId: string | undefined,
): string | undefined {
  const product = named[index];
  if (!product || product.organization_id !== organizationId) return 'Product does not exist.';
  if (product.is_archived) return 'Product is archived.';
  if (!isPurchasable(product)) return 'Product is a draft.';
  return named.findIndex((other) => other?.id === product.id) < index
    ? 'Product is listed twice.'
    : undefined;
}

/** Products by id; an id that is no product's may be that of one of its prices, as older integrations send. */
async function productsNamed(app: App, ids: readonly string[]): Promise<(ProductCopy | undefined)[]> {
  const found = await app.replicas.products.get(app.db.manager, ids);
  const missing = ids.filter((id) => !found.has(id));
  const byPrice = missing.length === 0 ? new Map() : await productsByPrice(app.db.manager, missing);
  return ids.map((id) => found.get(id) ?? byPrice.get(id));
}

async function productsByPrice(
  reader: Pick<Reader, 'query'>,
  priceIds: readonly string[],
): Promise<Map<string, ProductCopy>> {
  const rows: { price_id: string; value: ProductCopy }[] = await reader.query(
    `select wanted.id as price_id, product.value
     from unnest($1::text[]) as wanted(id)
     join products_replica product
       on product.value -> 'prices' @> jsonb_build_array(jsonb_build_object('id', wanted.id))`,
    [priceIds],
  );
  return new Map(rows.map((row) => [row.price_id, row.value]));
}

/** Refuses (403) what a blocked organization's sessions ask. */
export function requireTrading(organization: OrganizationCopy): void {
  if (!isCapable(organization, 'api_access')) {
    throw new Problem(NotPermitted, 'This organization cannot take payments.');
  }
}
