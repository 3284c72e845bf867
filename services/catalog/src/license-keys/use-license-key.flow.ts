import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { type CustomerCopy, copyTables, localCopies } from '../replicas.ts';
import { type Activation, type LicenseKey, refuseActivation, validated } from './license-key.ts';
import type { LicenseKeyView } from './present.ts';
import type { LicenseKeyActivate, LicenseKeyDeactivate, LicenseKeyValidate } from './schema.ts';
import {
  countActivations,
  deleteActivation,
  findActivation,
  insertActivation,
  lockBySecret,
  updateLicenseKey,
} from './store.ts';

/** Adds the customers that representations of keys embed, in one statement. */
export async function withCustomers(reader: Reader, keys: readonly LicenseKey[]): Promise<LicenseKeyView[]> {
  const customers = await localCopies<CustomerCopy>(
    reader,
    copyTables.customers,
    keys.map((key) => key.customer_id),
  );
  return keys.map((key) => ({ key, customer: customers.get(key.customer_id) }));
}

export const withCustomer = async (reader: Reader, key: LicenseKey): Promise<LicenseKeyView> =>
  (await withCustomers(reader, [key]))[0]!;

/** Checks a key and counts the use, one request at a time for each key. */
export async function validateKey(
  tx: Tx,
  input: LicenseKeyValidate,
  now: Date,
): Promise<{ view: LicenseKeyView; activation: Activation | null }> {
  const key = await lockBySecret(tx, input.organization_id, input.key);
  const activation = input.activation_id ? await findActivation(tx, key.id, input.activation_id) : undefined;
  const next = validated(key, { ...input, activation, conditions: input.conditions ?? {} }, now);
  await updateLicenseKey(tx, next);
  return { view: await withCustomer(tx, next), activation: activation ?? null };
}

/** Adds an activation within the key's limit, however many ask at once. */
export async function activateKey(
  tx: Tx,
  input: LicenseKeyActivate,
  now: Date,
): Promise<{ view: LicenseKeyView; activation: Activation }> {
  const key = await lockBySecret(tx, input.organization_id, input.key);
  refuseActivation(key, await countActivations(tx, key.id), now);
  const { label, conditions = {}, meta = {} } = input;
  const activation = await insertActivation(tx, { license_key_id: key.id, label, conditions, meta }, now);
  return { view: await withCustomer(tx, key), activation };
}

export async function deactivateKey(tx: Tx, input: LicenseKeyDeactivate): Promise<void> {
  const key = await lockBySecret(tx, input.organization_id, input.key);
  if (!(await deleteActivation(tx, key.id, input.activation_id))) throw notFound('Activation not found.');
}
