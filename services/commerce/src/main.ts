import { CatalogService } from '@tributary/proto/gen/catalog/v1/catalog.ts';
import { IdentityService } from '@tributary/proto/gen/identity/v1/identity.ts';
import { MeteringService } from '@tributary/proto/gen/metering/v1/metering.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Clock, systemClock } from '@tributary/runtime/clock.ts';
import { migrate, openDatabase } from '@tributary/runtime/db/data-source.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { type RunningService, runService } from '@tributary/runtime/service.ts';
import { openTransport, serviceMain } from '@tributary/runtime/service-main.ts';
import type { App } from './app.ts';
import { type CommerceConfig, commerceShape } from './config.ts';
import { consumers } from './consumers.ts';
import { entities, migrations } from './database.ts';
import { grpcServices } from './grpc.ts';
import { jobs } from './jobs.ts';
import { noProcessor } from './payments/no-processor.ts';
import { sandboxProcessor } from './payments/sandbox-processor.ts';
import { reconciliation } from './reconciliation.ts';
import { createReplicas } from './replicas.ts';
import { routes } from './routes.ts';

/** Starts commerce: migrates its database, then serves HTTP and gRPC. */
export async function startCommerce(
  config: CommerceConfig,
  given: { transport?: Transport; clock?: Clock } = {},
): Promise<RunningService> {
  const log = createLog({ service: 'commerce', level: config.logLevel });
  const clock = given.clock ?? systemClock;
  const db = await openDatabase({
    url: config.databaseUrl,
    entities,
    migrations,
    poolSize: config.databasePoolSize,
    applicationName: 'commerce',
  });
  await migrate(db);
  const transport = await openTransport('commerce', config, given.transport, log);
  const sessions = connect(IdentityService, config.identityGrpc, config.internalSecret);
  const catalog = connect(CatalogService, config.catalogGrpc, config.internalSecret);
  const metering = connect(MeteringService, config.meteringGrpc, config.internalSecret);
  const ownerAt = (address: string) => connect(ResourcesService, address, config.internalSecret);
  const owners = {
    identity: ownerAt(config.identityGrpc),
    catalog: ownerAt(config.catalogGrpc),
    metering: ownerAt(config.meteringGrpc),
  };
  const sandbox = config.environment === 'sandbox' ? sandboxProcessor(db) : undefined;
  if (!sandbox) log.warn('no payment company is connected: every card will be refused');
  const app: App = {
    db,
    clock,
    log,
    replicas: createReplicas(owners),
    sessions,
    catalog,
    metering,
    secret: config.internalSecret,
    processor: sandbox ?? noProcessor,
    sandbox,
    publicUrl: config.publicUrl,
  };
  return runService({
    name: 'commerce',
    config,
    db,
    app,
    transport,
    routes,
    grpc: grpcServices(app),
    consumers: consumers(app),
    jobs,
    reconciliation,
    closes: [sessions, catalog, metering, ...Object.values(owners)].map((client) => () => client.close()),
    clock,
    log,
  });
}

if (import.meta.main) {
  await serviceMain('commerce', commerceShape, migrations, (config) => startCommerce(config));
}
