import { type Issue, ValidationProblem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import type { Price } from '../products/price.ts';
import type { PricesGiven } from '../products/price-create-schema.ts';
import type { Offer } from './checkout.ts';

/**
 * Prices that hold for one session, by product. The catalog makes them, so that they obey its rules (domain rules 4.2
 * and 4.3); every breach is an issue (422) at its place.
 */
export async function sessionPrices(
  app: App,
  given: PricesGiven,
  { products }: Offer,
): Promise<Record<string, Price[]>> {
  const asked = Object.entries(given).map(([product_id, prices]) => ({
    product_id,
    prices: JSON.stringify(prices),
  }));
  const strays = asked.filter(({ product_id }) => !products.some(({ id }) => id === product_id));
  refuse(
    strays.map(({ product_id }) => ({
      loc: ['body', 'prices', product_id],
      msg: 'The product is not part of this checkout.',
      type: 'value_error',
    })),
  );
  if (asked.length === 0) return {};
  const made = await app.catalog.makePrices({ products: asked });
  refuse(
    made.faults.map(({ product_id, path = [], msg, type, input }) => ({
      loc: ['body', 'prices', product_id, ...path],
      msg,
      type,
      input,
    })),
  );
  return Object.fromEntries(made.products.map(({ product_id, prices }) => [product_id, prices as Price[]]));
}

function refuse(issues: Issue[]): void {
  if (issues.length > 0) throw new ValidationProblem(issues);
}
