import { z } from 'zod';
import { acceptedCountries, countries } from './countries.ts';

const part = z.string().nullish();
const boundedPart = z.string().max(1_000).nullish();

export const Address = z
  .object({
    line1: part,
    line2: part,
    postal_code: part,
    city: part,
    state: part,
    country: z.enum(countries as [string, ...string[]]),
  })
  .meta({ id: 'Address' });

export const AddressInput = z
  .object({
    line1: boundedPart,
    line2: boundedPart,
    postal_code: boundedPart,
    city: boundedPart,
    state: boundedPart,
    country: z.preprocess(
      (code) => (typeof code === 'string' ? code.toUpperCase() : code),
      z.enum(acceptedCountries as [string, ...string[]]),
    ),
  })
  .meta({ id: 'AddressInput' });
