import { presentmentCurrencies } from '@tributary/runtime/currencies.ts';
import { Id, owned } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

export const PresentmentCurrency = z.enum(presentmentCurrencies).meta({ id: 'PresentmentCurrency' });

/** A price as a merchant writes it. The catalog describes and checks it. */
const PriceGiven = z.union([
  owned<object>('ProductPriceFixedCreate'),
  owned<object>('ProductPriceCustomCreate'),
  owned<object>('ProductPriceSeatBasedCreate'),
  owned<object>('ProductPriceMeteredUnitCreate'),
]);

/** What the catalog is sent at once, and sends back several times as long. */
const MAX_BYTES = 1024 * 1024;

/** Prices of one session, by product. */
export const PricesGiven = z
  .record(Id, z.array(PriceGiven).min(1))
  .refine((prices) => JSON.stringify(prices).length <= MAX_BYTES, { error: 'Must have at most 1 MiB.' });
export type PricesGiven = z.output<typeof PricesGiven>;
