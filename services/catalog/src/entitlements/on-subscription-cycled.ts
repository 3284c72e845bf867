import { eventTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { announce, type Changed, cycleGrant } from '../benefit-grants/change-grants.flow.ts';
import { lockGranted } from '../benefit-grants/store.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { lockEntitlement } from './store.ts';
import { benefitsOf } from './sync-entitlement.flow.ts';

const SubscriptionCycled = z.looseObject({ metadata: z.looseObject({ subscription_id: z.string() }) });

/** More benefits than a product can have. */
const MAX_GRANTS = 1_000;

/** A new period renews what the subscription grants. */
export const onSubscriptionCycled = consumer({
  name: 'catalog.renew-grants',
  topic: eventTopics.subscription.name,
  types: ['subscription.cycled'],
  schema: SubscriptionCycled,
  async handle({ value }, tx, { clock }) {
    if (!value) return;
    const now = clock.now();
    const entitlement = await lockEntitlement(tx, value.metadata.subscription_id);
    if (!entitlement) return;
    if (entitlement.has_seats) {
      await requestSweep(tx, 'renewal-of-entitlement', entitlement.id, now);
      return;
    }
    const grants = await lockGranted(tx, 'entitlement_id', entitlement.id, null, MAX_GRANTS);
    const benefits = await benefitsOf(tx, grants);
    const changes: Changed[] = [];
    for (const grant of grants)
      changes.push(await cycleGrant(tx, grant, benefits.get(grant.benefit_id)!, now));
    await announce(tx, changes, now);
  },
});
