import {
  type OutgoingMessage,
  stateChanged,
  systemEvent,
  webhookEvent,
} from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { Benefit, BenefitOf } from '../benefits/benefit.ts';
import { ensureDownloadables } from '../downloadables/store.ts';
import {
  displayKey,
  generateKey,
  type LicenseKey,
  limitsOf,
  statusWithGrant,
} from '../license-keys/license-key.ts';
import { insertLicenseKey, lockByGrant, updateLicenseKey } from '../license-keys/store.ts';
import {
  type Grant,
  type GrantChange,
  type GrantProperties,
  granted,
  grantedProperties,
  type Holder,
  revoked,
  updatedProperties,
} from './grant.ts';
import { loadGrants } from './load-grants.flow.ts';
import { type GrantView, presentGrant } from './present.ts';
import { insertGrant, updateGrant } from './store.ts';

/** A grant after a change, with its properties from before. */
export interface Changed {
  change: GrantChange;
  grant: Grant;
  previous_properties: GrantProperties | null;
}

type Origin = Pick<Grant, 'organization_id' | 'entitlement_id' | 'subscription_id' | 'order_id'>;

/** Grants a benefit for the first time. */
export async function createGrant(
  tx: Tx,
  origin: Origin,
  holder: Holder,
  benefit: Benefit,
  now: Date,
): Promise<Changed> {
  const blank: Grant = {
    ...origin,
    id: newId(),
    created_at: now,
    modified_at: null,
    customer_id: holder.customer_id,
    member_id: holder.member_id,
    benefit_id: benefit.id,
    granted_at: null,
    revoked_at: null,
    withdrawn_at: null,
    properties: {},
    error: null,
  };
  const key = benefit.type === 'license_keys' ? newLicenseKey(blank, benefit, now) : undefined;
  const own = key ? { license_key_id: key.id, display_key: displayKey(key.key) } : {};
  const grant = { ...granted(blank, grantedProperties(benefit, own, now), now), modified_at: null };
  await insertGrant(tx, grant);
  if (key) await insertLicenseKey(tx, key);
  return { change: 'granted', grant, previous_properties: null };
}

const newLicenseKey = (grant: Grant, benefit: BenefitOf<'license_keys'>, now: Date): LicenseKey => ({
  id: newId(),
  created_at: now,
  modified_at: null,
  organization_id: grant.organization_id,
  customer_id: grant.customer_id,
  member_id: grant.member_id,
  benefit_id: benefit.id,
  benefit_grant_id: grant.id,
  key: generateKey(benefit.properties.prefix),
  status: 'granted',
  usage: 0,
  validations: 0,
  last_validated_at: null,
  ...limitsOf(benefit.properties, now, grant.subscription_id !== null),
});

/** Grants a revoked grant again; its license key is the one it had. */
export async function restoreGrant(tx: Tx, grant: Grant, benefit: Benefit, now: Date): Promise<Changed> {
  const next = granted(grant, grantedProperties(benefit, grant.properties, now), now);
  await updateGrant(tx, next);
  await followWithKey(tx, next, now);
  return { change: 'granted', grant: next, previous_properties: grant.properties };
}

export async function revokeGrant(tx: Tx, grant: Grant, now: Date): Promise<Changed> {
  const next = revoked(grant, now);
  await updateGrant(tx, next);
  await followWithKey(tx, next, now);
  return { change: 'revoked', grant: next, previous_properties: grant.properties };
}

async function followWithKey(tx: Tx, grant: Grant, now: Date): Promise<void> {
  if (grant.properties.license_key_id === undefined) return;
  const key = await lockByGrant(tx, grant.id);
  if (!key) return;
  const status = statusWithGrant(key.status, grant.granted_at !== null);
  if (status !== key.status) await updateLicenseKey(tx, { ...key, status, modified_at: now });
}

/** Brings a grant in line with its changed benefit; a license key takes over the new limits. */
export async function refreshGrant(tx: Tx, grant: Grant, benefit: Benefit, now: Date): Promise<Changed> {
  const next = { ...grant, modified_at: now, properties: updatedProperties(benefit, grant.properties) };
  await updateGrant(tx, next);
  if (benefit.type === 'license_keys') {
    const key = await lockByGrant(tx, grant.id);
    const limits = limitsOf(benefit.properties, grant.granted_at ?? now, grant.subscription_id !== null);
    if (key) await updateLicenseKey(tx, { ...key, ...limits, modified_at: now });
  }
  return { change: 'updated', grant: next, previous_properties: grant.properties };
}

/** Renews a grant for the next period; credits are given anew, in the number the benefit has now. */
export async function cycleGrant(tx: Tx, grant: Grant, benefit: Benefit, now: Date): Promise<Changed> {
  const properties = grantedProperties(benefit, grant.properties, now);
  const next = { ...grant, modified_at: now, properties };
  await updateGrant(tx, next);
  return { change: 'cycled', grant: next, previous_properties: grant.properties };
}

/** Tells of changed grants: system event, webhook and state of each; also keeps their downloadable files. */
export async function announce(tx: Tx, changes: readonly Changed[], now: Date): Promise<void> {
  if (changes.length === 0) return;
  const grants = changes.map((changed) => changed.grant);
  await ensureDownloadables(
    tx,
    grants.filter((grant) => grant.granted_at !== null),
    now,
  );
  const views = await loadGrants(tx, grants);
  await emit(
    tx,
    changes.flatMap((changed, index) => messagesOf(changed, views[index]!, now)),
  );
}

/** Tells of the state of grants that have not changed themselves: what they embed has. */
export async function republishGrants(tx: Tx, grants: readonly Grant[]): Promise<void> {
  const views = await loadGrants(tx, grants);
  await emit(
    tx,
    views.map((view) => stateChanged('benefit_grants', view.grant.id, presentGrant(view))),
  );
}

const EVENTS = {
  granted: ['benefit.granted', 'benefit_grant.created'],
  cycled: ['benefit.cycled', 'benefit_grant.cycled'],
  updated: ['benefit.updated', 'benefit_grant.updated'],
  revoked: ['benefit.revoked', 'benefit_grant.revoked'],
} as const;

function messagesOf({ change, previous_properties }: Changed, view: GrantView, now: Date): OutgoingMessage[] {
  const { grant, benefit, customer, member } = view;
  const [event, webhook] = EVENTS[change];
  const presented = presentGrant(view);
  const context = {
    organization_id: grant.organization_id,
    customer_id: grant.customer_id,
    external_customer_id: customer?.external_id ?? null,
    ...(grant.member_id
      ? { member_id: grant.member_id, external_member_id: member?.external_id ?? null }
      : {}),
    timestamp: now,
  };
  const metadata = {
    benefit_id: benefit.id,
    benefit_grant_id: grant.id,
    benefit_type: benefit.type,
    ...(grant.member_id ? { member_id: grant.member_id } : {}),
  };
  return [
    systemEvent(event, context, metadata),
    webhookEvent(webhook, grant.organization_id, { ...presented, previous_properties }, now),
    stateChanged('benefit_grants', grant.id, presented),
  ];
}
