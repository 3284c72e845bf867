import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { benefitsOfProducts } from '../benefits/store.ts';
import { attachedFieldsOf } from '../custom-fields/store.ts';
import { mediasOfProducts } from '../files/store.ts';
import { copyTables, localCopies, type MeterCopy } from '../replicas.ts';
import { pricesOfProducts } from './price-store.ts';
import type { Product, ProductView } from './product.ts';
import { publicProductsOf } from './store.ts';

/** Adds to products what their representation embeds, in a fixed number of statements. */
export async function loadProducts(reader: Reader, products: readonly Product[]): Promise<ProductView[]> {
  if (products.length === 0) return [];
  const ids = products.map((product) => product.id);
  // one after the other: inside a transaction there is one connection
  const prices = await pricesOfProducts(reader, ids);
  const benefits = await benefitsOfProducts(reader, ids);
  const medias = await mediasOfProducts(reader, ids);
  const customFields = await attachedFieldsOf(reader, ids);
  const meterIds = [...prices.values()].flat().flatMap((price) => price.meter_id ?? []);
  const meters = await localCopies<MeterCopy>(reader, copyTables.meters, meterIds);
  return products.map((product) => ({
    product,
    prices: prices.get(product.id) ?? [],
    benefits: benefits.get(product.id) ?? [],
    medias: medias.get(product.id) ?? [],
    custom_fields: customFields.get(product.id) ?? [],
    meters,
  }));
}

export const loadProduct = async (reader: Reader, product: Product): Promise<ProductView> =>
  (await loadProducts(reader, [product]))[0]!;

/** What an organization offers to everybody. */
export const readPublicProducts = async (reader: Reader, organizationId: string): Promise<ProductView[]> =>
  loadProducts(reader, await publicProductsOf(reader, organizationId));
