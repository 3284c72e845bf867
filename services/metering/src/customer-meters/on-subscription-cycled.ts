import type { SystemEvent } from '@tributary/proto/events/system-events.ts';
import { eventTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { type App, consumer } from '../app.ts';
import { resetMeter } from './credit-customer-meter.flow.ts';
import { lastReset, markBilled } from './reset-store.ts';

type CycleEvent = SystemEvent<'subscription.cycled' | 'subscription.resumed'>;

/**
 * Meters that the subscription's metered prices bill. Its own prices and those of its product: the copy of either may
 * be the newer one.
 */
async function billedMeters({ metadata }: CycleEvent, { db, replicas }: App): Promise<string[]> {
  const { subscription_id } = metadata;
  const subscriptions = await replicas.subscriptions.get(db.manager, [subscription_id]);
  const subscription = subscriptions.get(subscription_id);
  const product_id = metadata.product_id ?? subscription?.product_id;
  const products = product_id ? await replicas.products.get(db.manager, [product_id]) : new Map();
  const prices = [...(subscription?.prices ?? []), ...(products.get(product_id)?.prices ?? [])];
  const meters = prices
    .filter((price) => price.amount_type === 'metered_unit' && !price.is_archived)
    .flatMap((price) => price.meter_id ?? []);
  return [...new Set(meters)].sort();
}

/** A new billing period, or one after a pause: usage is counted anew from its beginning (domain rules 8.6). */
export const onSubscriptionCycled = consumer({
  name: 'metering.reset-billed-meters',
  topic: eventTopics.subscription.name,
  types: ['subscription.cycled', 'subscription.resumed'],
  schema: z.custom<CycleEvent>((value) => typeof value === 'object'),
  prepare: async ({ value }, app) => (value ? billedMeters(value, app) : []),
  async handle({ value: event }, tx, { clock }, meters: string[]) {
    if (!event) return;
    const { organization_id, external_customer_id } = event;
    const timestamp = new Date(event.timestamp);
    for (const meter_id of meters) {
      const key = { organization_id, meter_id, customer_id: event.customer_id! };
      const reset = await lastReset(tx, key);
      // A meter credit's renewal may have come first; its reset stands for this one.
      if (reset !== null && reset >= timestamp) continue;
      await resetMeter(tx, { ...key, external_customer_id, timestamp }, clock.now());
    }
    if (event.name === 'subscription.cycled') await markBilled(tx, meters, clock.now());
  },
});
