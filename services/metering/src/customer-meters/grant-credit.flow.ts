import type { SystemEvent } from '@tributary/proto/events/system-events.ts';
import { Problem } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import type { App } from '../app.ts';
import { askFor, type BenefitGrantCopy } from '../replicas.ts';
import type { GivenCredit, Occasion } from './credit-customer-meter.flow.ts';

export type GrantEvent = SystemEvent<'benefit.granted' | 'benefit.cycled' | 'benefit.revoked'>;

export const isMeterCredit = (event: GrantEvent | null): event is GrantEvent =>
  event?.metadata.benefit_type === 'meter_credit';

/** Which meter a grant credits, with how much; undefined when the grant is gone. */
export interface Terms {
  meter_id: string;
  units: number;
  rollover: boolean;
}

/** What the event's grant credits, as it was when the event happened or later. */
export async function creditTerms(event: GrantEvent | null, app: App): Promise<Terms | undefined> {
  if (!isMeterCredit(event)) return undefined;
  const grant = await grantOf(event, app);
  if (!grant) return undefined;
  const meter_id = grant.properties.last_credited_meter_id ?? grant.benefit.properties.meter_id;
  const units = grant.properties.last_credited_units ?? grant.benefit.properties.units;
  if (!meter_id || !units) return undefined;
  return { meter_id, units, rollover: grant.benefit.properties.rollover ?? false };
}

/** A copy older than the event is passed over while its owner can be asked. */
async function grantOf(
  event: GrantEvent,
  { db, replicas, owners }: App,
): Promise<BenefitGrantCopy | undefined> {
  const id = event.metadata.benefit_grant_id;
  const copy = (await replicas.benefitGrants.get(db.manager, [id])).get(id);
  if ((copy?.properties.last_credited_at ?? '') >= event.timestamp) return copy;
  try {
    return (await askFor<BenefitGrantCopy>(owners.catalog, 'benefit_grants', id)) ?? copy;
  } catch (error) {
    if (copy && error instanceof Problem) return copy;
    throw error;
  }
}

export const occasionOf = (event: GrantEvent, meter_id: string): Occasion => ({
  organization_id: event.organization_id,
  customer_id: event.customer_id!,
  external_customer_id: event.external_customer_id,
  meter_id,
  timestamp: new Date(event.timestamp),
});

/** Shape of a grant's events on their topic, which the catalog writes and checks. */
export const GrantEventShape = z.custom<GrantEvent>((value) => typeof value === 'object');

export const creditOf = (event: GrantEvent, { units, rollover }: Terms): GivenCredit => ({
  units,
  rollover,
  benefit_grant_id: event.metadata.benefit_grant_id,
});
