import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Clock, systemClock } from '@tributary/runtime/clock.ts';
import { migrate, openDatabase } from '@tributary/runtime/db/data-source.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { type RunningService, runService } from '@tributary/runtime/service.ts';
import { openTransport, serviceMain } from '@tributary/runtime/service-main.ts';
import type { App } from './app.ts';
import { type MeteringConfig, meteringShape } from './config.ts';
import { consumers } from './consumers.ts';
import { entities, migrations } from './database.ts';
import { ensurePartitions } from './events/partitions-store.ts';
import { grpcServices } from './grpc.ts';
import { createIngest } from './ingest/collector.ts';
import { jobs } from './jobs.ts';
import { reconciliation } from './reconciliation.ts';
import { createReplicas } from './replicas.ts';
import { routes } from './routes.ts';

/** Starts metering: migrates its database, makes the events' partitions, then serves HTTP and gRPC. */
export async function startMetering(
  config: MeteringConfig,
  given: { transport?: Transport; clock?: Clock } = {},
): Promise<RunningService> {
  const log = createLog({ service: 'metering', level: config.logLevel });
  const clock = given.clock ?? systemClock;
  const db = await openDatabase({
    url: config.databaseUrl,
    entities,
    migrations,
    poolSize: config.databasePoolSize,
    applicationName: 'metering',
  });
  await migrate(db);
  // Ids are made by the machine's clock, whatever the service is told about the time.
  await ensurePartitions(db, systemClock.now());
  const transport = await openTransport('metering', config, given.transport, log);
  const commerce = connect(ResourcesService, config.commerceGrpc, config.internalSecret);
  const catalog = connect(ResourcesService, config.catalogGrpc, config.internalSecret);
  const owners = { commerce, catalog };
  const ingest = createIngest(config.databaseUrl);
  const app: App = { db, clock, owners, replicas: createReplicas(owners), ingest };
  return runService({
    name: 'metering',
    config,
    db,
    app,
    transport,
    routes,
    grpc: grpcServices(app),
    consumers: consumers(app),
    jobs: jobs(config.eventRetentionMonths),
    reconciliation: reconciliation(config.eventRetentionMonths),
    closes: [commerce.close, catalog.close, ingest.close],
    clock,
    log,
  });
}

if (import.meta.main) {
  await serviceMain('metering', meteringShape, migrations, (config) => startMetering(config));
}
