import { eventTopics } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { creditMeter, resetMeter } from './credit-customer-meter.flow.ts';
import { creditOf, creditTerms, GrantEventShape, occasionOf, type Terms } from './grant-credit.flow.ts';
import { lastReset, openCredit } from './reset-store.ts';

/**
 * A new period begins: reset, rollover, fresh units (domain rules 6.3). The first two are left out when billing, or
 * another grant, has reset the meter since this grant's last credit.
 */
export const onBenefitCycled = consumer({
  name: 'metering.renew-granted-units',
  topic: eventTopics.benefit.name,
  types: ['benefit.cycled'],
  schema: GrantEventShape,
  prepare: ({ value }, app) => creditTerms(value, app),
  async handle({ value: event }, tx, { clock }, terms: Terms | undefined) {
    if (!event || !terms) return;
    const occasion = occasionOf(event, terms.meter_id);
    const last = await openCredit(tx, event.metadata.benefit_grant_id);
    const reset = await lastReset(tx, occasion);
    const isReset = last !== undefined && reset !== null && reset > last.timestamp;
    if (!isReset) await resetMeter(tx, occasion, clock.now());
    await creditMeter(tx, occasion, creditOf(event, terms), clock.now());
  },
});
