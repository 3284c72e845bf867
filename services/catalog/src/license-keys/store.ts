import { newId } from '@tributary/proto/id.ts';
import {
  bigint,
  integer,
  json,
  nullable,
  recorded,
  text,
  timestamp,
  uuid,
} from '@tributary/runtime/db/columns.ts';
import { pageOf, whereIn } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { notFound } from '@tributary/runtime/http/problem.ts';
import { EntitySchema } from 'typeorm';
import type { PortalHolder } from '../scope.ts';
import type { Activation, LicenseKey, LicenseKeyStatus } from './license-key.ts';

export const licenseKeys = new EntitySchema<LicenseKey>({
  name: 'license_keys',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: uuid,
    member_id: nullable(uuid),
    benefit_id: uuid,
    benefit_grant_id: uuid,
    key: text,
    status: text,
    limit_activations: nullable(integer),
    usage: bigint,
    limit_usage: nullable(integer),
    validations: bigint,
    last_validated_at: nullable(timestamp),
    expires_at: nullable(timestamp),
  },
});

export const activations = new EntitySchema<Activation>({
  name: 'license_key_activations',
  columns: { ...recorded, license_key_id: uuid, label: text, conditions: json, meta: json },
});

const OLDEST_FIRST = [{ by: 'created_at', direction: 'ASC' }] as const;
const COLUMNS = { created_at: 'license_key.created_at' };

/** Whose keys are asked for: those of some organizations, or of one holder in the portal. */
export type KeyScope = { organizationIds: readonly string[] } | PortalHolder;

const allKeys = (reader: Reader) => reader.getRepository(licenseKeys).createQueryBuilder('license_key');

function keysIn(reader: Reader, scope: KeyScope) {
  if (!('organizationIds' in scope)) return keysOf(reader, scope);
  const builder = allKeys(reader);
  whereIn(builder, 'license_key.organization_id', scope.organizationIds);
  return builder;
}

function keysOf(reader: Reader, { holder, ofCustomerToo }: PortalHolder) {
  const { customer_id, member_id } = holder;
  const builder = allKeys(reader).where('license_key.customer_id = :customer_id', { customer_id });
  if (member_id !== null) {
    builder.andWhere(
      `(license_key.member_id = :member_id${ofCustomerToo ? ' or license_key.member_id is null' : ''})`,
      { member_id },
    );
  }
  return builder;
}

export function listLicenseKeys(
  reader: Reader,
  scope: KeyScope,
  query: Paging & { benefit_id?: string[]; status?: LicenseKeyStatus[] },
): Promise<Page<LicenseKey>> {
  const ofOrganizations = 'organizationIds' in scope;
  const builder = ofOrganizations ? allKeys(reader) : keysOf(reader, scope);
  whereIn(builder, 'license_key.benefit_id', query.benefit_id);
  whereIn(builder, 'license_key.status', query.status);
  const organizations = ofOrganizations ? scope.organizationIds : undefined;
  return pageOf(builder, query, OLDEST_FIRST, COLUMNS, { organizations });
}

export async function getLicenseKey(
  reader: Reader,
  scope: KeyScope,
  id: string,
  lock = false,
): Promise<LicenseKey> {
  const builder = keysIn(reader, scope).andWhere('license_key.id = :id', { id });
  if (lock) builder.setLock('pessimistic_write');
  const key = await builder.getOne();
  if (!key) throw notFound('License key not found');
  return key;
}

/** The key with this secret, locked: counting against its limits happens one request at a time. */
export async function lockBySecret(tx: Tx, organizationId: string, secret: string): Promise<LicenseKey> {
  const key = await tx
    .getRepository(licenseKeys)
    .createQueryBuilder('license_key')
    .where('license_key.organization_id = :organizationId and license_key.key = :secret', {
      organizationId,
      secret,
    })
    .setLock('pessimistic_write')
    .getOne();
  if (!key) throw notFound('License key not found.');
  return key;
}

export const lockByGrant = (tx: Tx, grantId: string): Promise<LicenseKey | null> =>
  tx
    .getRepository(licenseKeys)
    .createQueryBuilder('license_key')
    .where('license_key.benefit_grant_id = :grantId', { grantId })
    .setLock('pessimistic_write')
    .getOne();

export const insertLicenseKey = (tx: Tx, key: LicenseKey) =>
  tx.getRepository(licenseKeys).insert(key as never);

export const updateLicenseKey = (tx: Tx, { id, ...columns }: LicenseKey) =>
  tx.getRepository(licenseKeys).update(id, columns as never);

const MAX_SHOWN = 10_000;

/** A key's activations, oldest first; at most 10,000. */
export const activationsOf = (reader: Reader, licenseKeyId: string): Promise<Activation[]> =>
  reader.getRepository(activations).find({
    where: { license_key_id: licenseKeyId },
    order: { created_at: 'ASC', id: 'ASC' },
    take: MAX_SHOWN,
  });

export const countActivations = (tx: Tx, licenseKeyId: string): Promise<number> =>
  tx.getRepository(activations).countBy({ license_key_id: licenseKeyId });

export const findActivation = (
  reader: Reader,
  licenseKeyId: string,
  id: string,
): Promise<Activation | null> =>
  reader.getRepository(activations).findOneBy({ id, license_key_id: licenseKeyId });

export async function insertActivation(
  tx: Tx,
  input: Pick<Activation, 'license_key_id' | 'label' | 'conditions' | 'meta'>,
  now: Date,
): Promise<Activation> {
  const activation: Activation = { id: newId(), created_at: now, modified_at: null, ...input };
  await tx.getRepository(activations).insert(activation as never);
  return activation;
}

/** Whether there was such an activation. */
export async function deleteActivation(tx: Tx, licenseKeyId: string, id: string): Promise<boolean> {
  const { affected } = await tx.getRepository(activations).delete({ id, license_key_id: licenseKeyId });
  return affected === 1;
}
