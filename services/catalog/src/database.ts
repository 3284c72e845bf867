import { NameRecordsInAnswers1768000000000 } from '@tributary/runtime/forget-record.ts';
import { grants } from './benefit-grants/store.ts';
import { benefits } from './benefits/store.ts';
import { customFields } from './custom-fields/store.ts';
import { entitlements, seats } from './entitlements/store.ts';
import { files } from './files/store.ts';
import { activations, licenseKeys } from './license-keys/store.ts';
import { CreateCatalog1767225600000 } from './migrations/1767225600000-create-catalog.ts';
import { prices } from './products/price-store.ts';
import { products } from './products/store.ts';

export const entities = [
  products,
  prices,
  benefits,
  grants,
  entitlements,
  seats,
  licenseKeys,
  activations,
  files,
  customFields,
];

export const migrations = [CreateCatalog1767225600000, NameRecordsInAnswers1768000000000];
