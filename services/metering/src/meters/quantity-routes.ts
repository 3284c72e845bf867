import { merchant } from '@tributary/proto/access.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Route } from '@tributary/runtime/http/route.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { organizationsOf } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { measureMeter } from './measure-meter.flow.ts';
import { checkRange } from './quantity.ts';
import { MeterQuantities, QuantityQuery } from './quantity-schema.ts';
import { readMeter } from './store.ts';

export const quantityRoutes: Route<App>[] = [
  route({
    method: 'GET',
    path: '/v1/meters/{id}/quantities',
    operation: 'meters:quantities',
    summary: "Read a meter's quantities by interval",
    access: merchant('meters:read', 'meters:write'),
    params: z.object({ id: Id }),
    query: QuantityQuery,
    response: MeterQuantities,
    problems: [ResourceNotFound],
    async handle({ params, query, principal }, { db }) {
      const meter = await readMeter(db.manager, organizationsOf(principal), params.id);
      checkRange(query.start_timestamp, query.end_timestamp, query.interval);
      const { buckets, total } = await measureMeter(db.manager, meter, query);
      const quantities = buckets.map(({ timestamp, quantity }) => ({
        timestamp: timestamp.toISOString(),
        quantity,
      }));
      return { quantities, total };
    },
  }),
];
