import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { forgetProduct, saveProductCurrencies } from './store.ts';

const Product = z.looseObject({
  organization_id: z.string(),
  is_archived: z.boolean(),
  prices: z.array(
    z.looseObject({ price_currency: z.string().optional(), is_archived: z.boolean().optional() }),
  ),
});

/** Keeps the currencies of active products: the organization's default currency must be one of each. */
export const onProductChanged = consumer({
  name: 'identity.keep-product-currencies',
  topic: stateTopics.products.name,
  schema: Product,
  async handle({ key, value }, tx) {
    if (value === null || value.is_archived) return forgetProduct(tx, key);
    const prices = value.prices.filter((price) => !price.is_archived);
    const currencies = prices.flatMap((price) => price.price_currency ?? []);
    await saveProductCurrencies(tx, {
      product_id: key,
      organization_id: value.organization_id,
      currencies: [...new Set(currencies)],
    });
  },
});
