import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { requestSweep } from '../sweeps/request-sweep.flow.ts';
import { isMetered } from './price-store.ts';

/** Prices embed their meter: products are published anew when it is renamed. */
export const onMeterChanged = consumer({
  name: 'catalog.follow-meters',
  topic: stateTopics.meters.name,
  schema: z.looseObject({}),
  async handle({ key, value }, tx, { clock }) {
    if (value && (await isMetered(tx, key))) await requestSweep(tx, 'products-of-meter', key, clock.now());
  },
});
