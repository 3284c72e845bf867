import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Provided, provide } from '@tributary/runtime/grpc/server.ts';
import type { App } from './app.ts';
import { presentMeter } from './meters/present.ts';
import { metersById } from './meters/store.ts';

const MAX_IDS = 100;

/** What other services may ask of metering. */
export const grpcServices = (app: App): Provided[] => [
  provide(
    ResourcesService,
    {
      getResources: async ({ resource, ids }) => {
        if (resource !== 'meters') return { resources: [] };
        const meters = await metersById(app.db.manager, ids.slice(0, MAX_IDS));
        return {
          resources: [...meters.values()].map((meter) => ({ id: meter.id, value: presentMeter(meter) })),
        };
      },
    },
    'resources/v1/resources.proto',
  ),
];
