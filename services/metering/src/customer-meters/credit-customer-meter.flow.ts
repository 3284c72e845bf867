import { systemEvent } from '@tributary/proto/events/message.ts';
import type { SystemEventMetadata } from '@tributary/proto/events/system-events.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { storeSystemEvent } from '../events/store-system-event.flow.ts';
import { carriedOver } from './periods.ts';
import { closedBalance, closePeriod, insertCredit, type MeterOf } from './reset-store.ts';

/** Whose meter, and when. */
export interface Occasion extends MeterOf {
  external_customer_id: string | null;
  timestamp: Date;
}

export interface GivenCredit {
  units: number;
  rollover: boolean;
  benefit_grant_id: string | null;
}

/** Credits a customer meter, or takes back with negative units: one event, stored and told. */
export async function creditMeter(
  tx: Tx,
  occasion: Occasion,
  { units, rollover, benefit_grant_id }: GivenCredit,
  now: Date,
): Promise<void> {
  const event_id = await tell(tx, 'meter.credited', occasion, {
    meter_id: occasion.meter_id,
    units,
    rollover,
  });
  const { organization_id, customer_id, meter_id, timestamp } = occasion;
  await insertCredit(
    tx,
    { organization_id, customer_id, meter_id, timestamp, event_id, units, rollover, benefit_grant_id },
    now,
  );
}

/**
 * Resets a customer meter and carries unused rollover units into the new period (domain rules 6.3). Nothing happens
 * when the meter was reset at that instant already.
 */
export async function resetMeter(tx: Tx, occasion: Occasion, now: Date): Promise<void> {
  const closed = await closePeriod(tx, occasion, occasion.timestamp, now);
  if (!closed) return;
  await tell(tx, 'meter.reset', occasion, { meter_id: occasion.meter_id });
  const units = carriedOver(await closedBalance(tx, occasion, closed));
  if (units > 0) await creditMeter(tx, occasion, { units, rollover: true, benefit_grant_id: null }, now);
}

/** The event lies in the store at once, under the id that its message carries. */
async function tell<N extends 'meter.credited' | 'meter.reset'>(
  tx: Tx,
  name: N,
  { organization_id, customer_id, external_customer_id, timestamp }: Occasion,
  metadata: SystemEventMetadata<N>,
): Promise<string> {
  const context = { organization_id, customer_id, external_customer_id, timestamp };
  const message = systemEvent<'meter.credited' | 'meter.reset'>(name, context, metadata);
  await storeSystemEvent(tx, message.value!);
  await emit(tx, [message]);
  return message.id;
}
