import { eventTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { lockGranted } from '../benefit-grants/store.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { renewGrants } from './renew-grants.flow.ts';
import { lockEntitlement } from './store.ts';

const OrderPaid = z.looseObject({
  metadata: z.looseObject({ order_id: z.string(), subscription_id: z.string().optional() }),
});
const Order = z.looseObject({ created_at: z.coerce.date(), billing_reason: z.string() });

/** More benefits than a product can have. */
const MAX_GRANTS = 1_000;

/** A period that is paid for renews what the subscription grants (domain rules 6.2). */
export const onRenewalPaid = consumer({
  name: 'catalog.renew-grants',
  topic: eventTopics.order.name,
  types: ['order.paid'],
  schema: OrderPaid,
  /** When the renewal was ordered; undefined for any other order. */
  async prepare({ value }, { commerce }) {
    if (!value?.metadata.subscription_id) return undefined;
    const { order_id } = value.metadata;
    const { resources } = await commerce.getResources({ resource: 'orders', ids: [order_id] });
    if (!resources[0]) throw new Error(`order ${order_id} is unknown to its owner`);
    const order = Order.parse(resources[0].value);
    return order.billing_reason === 'subscription_cycle' ? order.created_at : undefined;
  },
  async handle({ value }, tx, { clock }, orderedAt) {
    if (!value || !orderedAt) return;
    const entitlement = await lockEntitlement(tx, value.metadata.subscription_id!);
    if (!entitlement) return;
    if (entitlement.has_seats) {
      await requestSweep(tx, 'renewal-of-entitlement', entitlement.id, orderedAt);
      return;
    }
    const grants = await lockGranted(tx, 'entitlement_id', entitlement.id, null, MAX_GRANTS);
    await renewGrants(tx, grants, orderedAt, clock.now());
  },
});
