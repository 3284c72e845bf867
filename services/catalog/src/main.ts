import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Clock, systemClock } from '@tributary/runtime/clock.ts';
import { ConfigError } from '@tributary/runtime/config.ts';
import { migrate, openDatabase } from '@tributary/runtime/db/data-source.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { type RunningService, runService } from '@tributary/runtime/service.ts';
import { openTransport, serviceMain } from '@tributary/runtime/service-main.ts';
import type { App } from './app.ts';
import { type CatalogConfig, catalogShape } from './config.ts';
import { consumers } from './consumers.ts';
import { entities, migrations } from './database.ts';
import { type FileLinks, fileLinks } from './files/links.ts';
import { localStorage } from './files/local-storage.ts';
import type { FileStorage } from './files/storage.ts';
import { grpcServices } from './grpc.ts';
import { jobs } from './jobs.ts';
import { reconciliation } from './reconciliation.ts';
import { createReplicas } from './replicas.ts';
import { routes } from './routes.ts';

/** Starts the catalog: migrates its database, then serves HTTP and gRPC. */
export async function startCatalog(
  config: CatalogConfig,
  given: { transport?: Transport; clock?: Clock } = {},
): Promise<RunningService> {
  const log = createLog({ service: 'catalog', level: config.logLevel });
  const clock = given.clock ?? systemClock;
  const links = fileLinks(config.publicUrl, config.internalSecret);
  const storage = await openStorage(config, links);
  const db = await openDatabase({
    url: config.databaseUrl,
    entities,
    migrations,
    poolSize: config.databasePoolSize,
    applicationName: 'catalog',
  });
  await migrate(db);
  const transport = await openTransport('catalog', config, given.transport, log);
  const ownerAt = (address: string) => connect(ResourcesService, address, config.internalSecret);
  const owners = {
    identity: ownerAt(config.identityGrpc),
    commerce: ownerAt(config.commerceGrpc),
    metering: ownerAt(config.meteringGrpc),
  };
  const { commerce } = owners;
  const app: App = { db, clock, replicas: createReplicas(owners), commerce, storage, links };
  return runService({
    name: 'catalog',
    config,
    db,
    app,
    transport,
    routes,
    grpc: grpcServices(app),
    consumers: consumers(app),
    jobs,
    reconciliation,
    closes: Object.values(owners).map((owner) => () => owner.close()),
    clock,
    log,
  });
}

async function openStorage(config: CatalogConfig, links: FileLinks): Promise<FileStorage> {
  if (config.s3Bucket) {
    // the SDK is large: loaded only where it is used
    const { s3Storage } = await import('./files/s3-storage.ts');
    return s3Storage({
      bucket: config.s3Bucket,
      region: config.s3Region ?? 'us-east-1',
      endpoint: config.s3Endpoint,
    });
  }
  if (!config.filesDirectory) throw new ConfigError('configuration: FILES_DIRECTORY or S3_BUCKET is missing');
  return localStorage(config.filesDirectory, links);
}

if (import.meta.main) {
  await serviceMain('catalog', catalogShape, migrations, (config) => startCatalog(config));
}
