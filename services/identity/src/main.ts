import { type Clock, systemClock } from '@tributary/runtime/clock.ts';
import { migrate, openDatabase } from '@tributary/runtime/db/data-source.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { type RunningService, runService } from '@tributary/runtime/service.ts';
import { openTransport, serviceMain } from '@tributary/runtime/service-main.ts';
import type { App } from './app.ts';
import { type IdentityConfig, identityShape } from './config.ts';
import { consumers } from './consumers.ts';
import { entities, migrations } from './database.ts';
import { grpcServices } from './grpc.ts';
import { gatherLastUses } from './introspection/last-uses.ts';
import { jobs } from './jobs.ts';
import { reconciliation } from './reconciliation.ts';
import { routes } from './routes.ts';
import { keyring } from './signing-keys/keyring.ts';

export interface RunningIdentity extends RunningService {
  /** What the first-organization flow works with. */
  app: App;
}

/** Starts identity: migrates its database, then serves HTTP and gRPC. */
export async function startIdentity(
  config: IdentityConfig,
  given: { transport?: Transport; clock?: Clock } = {},
): Promise<RunningIdentity> {
  const log = createLog({ service: 'identity', level: config.logLevel });
  const clock = given.clock ?? systemClock;
  const db = await openDatabase({
    url: config.databaseUrl,
    entities,
    migrations,
    poolSize: config.databasePoolSize,
    applicationName: 'identity',
  });
  await migrate(db);
  const transport = await openTransport('identity', config, given.transport, log);
  const app: App = {
    db,
    clock,
    tokenSecret: config.tokenSecret,
    publicUrl: config.publicUrl,
    environment: config.environment,
    lastUses: gatherLastUses(),
    keyring: keyring(db, config.tokenSecret),
  };
  const running = await runService({
    name: 'identity',
    config,
    db,
    app,
    transport,
    routes,
    grpc: grpcServices(app),
    consumers: consumers(),
    jobs,
    reconciliation,
    closes: [() => app.lastUses.flush(db)],
    clock,
    log,
  });
  return { ...running, app };
}

if (import.meta.main) {
  await serviceMain('identity', identityShape, migrations, (config) => startIdentity(config));
}
