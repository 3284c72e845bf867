import { eventTopics } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { creditMeter } from './credit-customer-meter.flow.ts';
import { GrantEventShape, isMeterCredit, occasionOf } from './grant-credit.flow.ts';
import { openCredit } from './reset-store.ts';

/** What the grant credited last is taken back, on the meter it was credited to. */
export const onBenefitRevoked = consumer({
  name: 'metering.take-back-units',
  topic: eventTopics.benefit.name,
  types: ['benefit.revoked'],
  schema: GrantEventShape,
  async handle({ value: event }, tx, { clock }) {
    if (!isMeterCredit(event)) return;
    const { benefit_grant_id } = event.metadata;
    const last = await openCredit(tx, benefit_grant_id);
    if (!last) return;
    const credit = { units: -last.units, rollover: last.rollover, benefit_grant_id };
    await creditMeter(tx, occasionOf(event, last.meter_id), credit, clock.now());
  },
});
