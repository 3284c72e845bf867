import { isDeepStrictEqual } from 'node:util';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import { announce, type Changed, restoreGrant, revokeGrant } from '../benefit-grants/change-grants.flow.ts';
import type { Grant } from '../benefit-grants/grant.ts';
import { lockGrant } from '../benefit-grants/store.ts';
import type { Benefit } from '../benefits/benefit.ts';
import { benefitsById } from '../benefits/store.ts';
import { type CustomerCopy, copyTables, localCopies } from '../replicas.ts';
import type { LicenseKey, LicenseKeyStatus } from './license-key.ts';
import type { LicenseKeyUpdate } from './schema.ts';
import { getLicenseKey, updateLicenseKey } from './store.ts';

/**
 * Changes a key as the merchant wants. Granting or revoking it does the same to its grant, and a grant revoked this
 * way stays so until the merchant grants it again.
 */
export async function changeLicenseKey(
  tx: Tx,
  found: LicenseKey,
  input: LicenseKeyUpdate,
  now: Date,
): Promise<LicenseKey> {
  // the grant first, as everywhere: two locks taken in two orders would wait for each other
  const grant = await lockGrant(tx, found.benefit_grant_id);
  if (input.status) await followStatus(tx, grant, input.status, now);
  const key = await getLicenseKey(tx, { organizationIds: [found.organization_id] }, found.id, true);
  const next: LicenseKey = {
    ...key,
    status: input.status ?? key.status,
    usage: input.usage ?? key.usage,
    limit_activations: orKept(input.limit_activations, key.limit_activations),
    limit_usage: orKept(input.limit_usage, key.limit_usage),
    expires_at: orKept(input.expires_at, key.expires_at),
  };
  if (isDeepStrictEqual(next, key)) return key;
  const changed = { ...next, modified_at: now };
  await updateLicenseKey(tx, changed);
  return changed;
}

const orKept = <T>(sent: T | undefined, kept: T): T => (sent === undefined ? kept : sent);

async function followStatus(tx: Tx, grant: Grant, status: LicenseKeyStatus, now: Date): Promise<void> {
  const isGranted = grant.granted_at !== null;
  if (status === 'revoked' && isGranted) {
    await tell(tx, await revokeGrant(tx, { ...grant, withdrawn_at: now }, now), now);
  }
  if (status === 'granted' && !isGranted) {
    const benefit = (await benefitsById(tx, [grant.benefit_id])).get(grant.benefit_id)!;
    await requireHolder(tx, grant, benefit);
    await tell(tx, await restoreGrant(tx, grant, benefit, now), now);
  }
}

/** Refuses (422) to grant what nobody can have any more. */
async function requireHolder(tx: Tx, grant: Grant, benefit: Benefit): Promise<void> {
  const customers = await localCopies<CustomerCopy>(tx, copyTables.customers, [grant.customer_id]);
  const gone = customers.get(grant.customer_id)?.deleted_at
    ? 'The customer'
    : benefit.deleted_at && 'The benefit';
  if (gone) throw invalid(['body', 'status'], `${gone} of this key is deleted.`, 'value_error', 'granted');
}

const tell = (tx: Tx, change: Changed, now: Date) => announce(tx, [change], now);
