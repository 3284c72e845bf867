import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { benefitsById } from '../benefits/store.ts';
import type { Activation, LicenseKey } from './license-key.ts';
import { activationsOf } from './store.ts';

/** The activations a customer may see: all of them where the benefit lets customers look after them, else none. */
export async function shownActivations(reader: Reader, key: LicenseKey): Promise<Activation[]> {
  const benefit = (await benefitsById(reader, [key.benefit_id])).get(key.benefit_id);
  const isShown =
    benefit?.type === 'license_keys' && benefit.properties.activations?.enable_customer_admin === true;
  return isShown ? activationsOf(reader, key.id) : [];
}
