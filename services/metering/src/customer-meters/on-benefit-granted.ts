import { eventTopics } from '@tributary/proto/events/topics.ts';
import { consumer } from '../app.ts';
import { creditMeter } from './credit-customer-meter.flow.ts';
import { creditOf, creditTerms, GrantEventShape, occasionOf, type Terms } from './grant-credit.flow.ts';

/** A granted meter credit benefit credits the customer's meter. */
export const onBenefitGranted = consumer({
  name: 'metering.credit-granted-units',
  topic: eventTopics.benefit.name,
  types: ['benefit.granted'],
  schema: GrantEventShape,
  prepare: ({ value }, app) => creditTerms(value, app),
  async handle({ value: event }, tx, { clock }, terms: Terms | undefined) {
    if (!event || !terms) return;
    await creditMeter(tx, occasionOf(event, terms.meter_id), creditOf(event, terms), clock.now());
  },
});
