import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { announce, type Changed, restoreGrant, revokeGrant } from '../benefit-grants/change-grants.flow.ts';
import type { Grant } from '../benefit-grants/grant.ts';
import { lockGrant } from '../benefit-grants/store.ts';
import { benefitsById } from '../benefits/store.ts';
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
    modified_at: now,
    status: input.status ?? key.status,
    usage: input.usage ?? key.usage,
    limit_activations: orKept(input.limit_activations, key.limit_activations),
    limit_usage: orKept(input.limit_usage, key.limit_usage),
    expires_at: orKept(input.expires_at, key.expires_at),
  };
  await updateLicenseKey(tx, next);
  return next;
}

const orKept = <T>(sent: T | undefined, kept: T): T => (sent === undefined ? kept : sent);

async function followStatus(tx: Tx, grant: Grant, status: LicenseKeyStatus, now: Date): Promise<void> {
  const isGranted = grant.granted_at !== null;
  if (status === 'revoked' && isGranted) {
    await tell(tx, await revokeGrant(tx, { ...grant, withdrawn_at: now }, now), now);
  }
  if (status === 'granted' && !isGranted) {
    const benefit = (await benefitsById(tx, [grant.benefit_id])).get(grant.benefit_id)!;
    await tell(tx, await restoreGrant(tx, grant, benefit, now), now);
  }
}

const tell = (tx: Tx, change: Changed, now: Date) => announce(tx, [change], now);
