import type { Issue } from '@tributary/runtime/http/problem.ts';
import { check } from '@tributary/runtime/http/validation.ts';
import { z } from 'zod';
import type { App } from '../app.ts';
import { meterIssues, priceIssues, readSurroundings } from './check-product.flow.ts';
import { presentPrice } from './present.ts';
import { newPrice } from './price.ts';
import { PriceCreate, type PriceWire, termsOf } from './price-schema.ts';
import type { Product } from './product.ts';

const MAX_PRICES = 1_000;
const Prices = z.array(PriceCreate).min(1).max(MAX_PRICES);

/** Prices of a product, or what is wrong with them; `loc` starts with the index of a price. */
export interface MadePrices {
  prices: PriceWire[];
  issues: Issue[];
}

/** Makes prices that hold outside of the catalog, by the rules of its own. They are not stored. */
export async function makePrices(app: App, product: Product, input: unknown, now: Date): Promise<MadePrices> {
  const issues: Issue[] = [];
  const wanted = check(Prices, input, [], issues);
  if (!wanted) return { prices: [], issues };
  const surroundings = await readSurroundings(app, product.organization_id, wanted);
  const terms = wanted.map(termsOf);
  const found = [
    ...priceIssues(terms, product, surroundings),
    ...meterIssues(wanted, product.organization_id, surroundings.meters),
  ];
  if (found.length > 0) return { prices: [], issues: found.map(belowPrices) };
  const prices = terms.map((price, position) => newPrice(product.id, price, position, now, 'ad_hoc'));
  return { prices: prices.map((price) => presentPrice(price, surroundings.meters)), issues: [] };
}

/** In the body of a product, prices are at `body.prices`. */
const belowPrices = (issue: Issue): Issue => ({ ...issue, loc: issue.loc.slice(2) });
