import { MeteringService } from '@tributary/proto/gen/metering/v1/metering.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Provided, provide } from '@tributary/runtime/grpc/server.ts';
import { BadRequest, Problem } from '@tributary/runtime/http/problem.ts';
import type { App } from './app.ts';
import { customerMetersById } from './customer-meters/changes-store.ts';
import { presentState } from './customer-meters/present.ts';
import { readUsage } from './customer-meters/read-usage.flow.ts';
import { runningTotals } from './customer-meters/usage-read-store.ts';
import { presentMeter } from './meters/present.ts';
import { metersById } from './meters/store.ts';

const MAX_IDS = 100;
const MAX_KEYS = 1_000;
const MAX_PERIODS = 100;

/** What other services may ask of metering. */
export const grpcServices = ({ db }: App): Provided[] => [
  provide(
    MeteringService,
    {
      getUsage: async (request) => {
        refuseOver(request.periods.length, MAX_PERIODS);
        return { usages: await readUsage(db.manager, request) };
      },
      getCustomerMeters: async ({ keys }) => {
        refuseOver(keys.length, MAX_KEYS);
        const rows = await runningTotals(db, keys);
        const known = new Map(rows.map((row) => [row.customer_id + row.meter_id, row]));
        return {
          totals: keys.map(
            (key) =>
              known.get(key.customer_id + key.meter_id) ?? { ...key, consumed_units: '0', credited_units: 0 },
          ),
        };
      },
    },
    'metering/v1/metering.proto',
  ),
  provide(
    ResourcesService,
    {
      getResources: async ({ resource, ids }) => ({
        resources: await readResource(db, resource, ids.slice(0, MAX_IDS)),
      }),
    },
    'resources/v1/resources.proto',
  ),
];

function refuseOver(count: number, most: number): void {
  if (count > most) throw new Problem(BadRequest, `At most ${most} at once`);
}

async function readResource(db: App['db'], resource: string, ids: readonly string[]) {
  switch (resource) {
    case 'meters': {
      const meters = await metersById(db.manager, ids);
      return [...meters.values()].map((meter) => ({ id: meter.id, value: presentMeter(meter) }));
    }
    case 'customer_meters':
      return (await customerMetersById(db, ids)).map((row) => ({ id: row.id, value: presentState(row) }));
    default:
      return [];
  }
}
