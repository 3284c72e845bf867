import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import { type Clock, systemClock } from '@tributary/runtime/clock.ts';
import { migrate, openDatabase } from '@tributary/runtime/db/data-source.ts';
import { connect } from '@tributary/runtime/grpc/client.ts';
import { createLog } from '@tributary/runtime/log.ts';
import type { Transport } from '@tributary/runtime/messaging/message.ts';
import { replica } from '@tributary/runtime/replica/replica.ts';
import { type RunningService, runService } from '@tributary/runtime/service.ts';
import { openTransport, serviceMain } from '@tributary/runtime/service-main.ts';
import type { App, OrganizationCopy } from './app.ts';
import { mayReachLoopback, type NotificationsConfig, notificationsShape } from './config.ts';
import { consumers } from './consumers.ts';
import { entities, migrations } from './database.ts';
import { startDispatchers } from './dispatchers.ts';
import { createMailer } from './emails/create-mailer.ts';
import { jobs } from './jobs.ts';
import { createOutbound } from './outbound/outbound.ts';
import { reconciliation } from './reconciliation.ts';
import { routes } from './routes.ts';
import { createVault } from './vault.ts';

const name = 'notifications';

/**
 * Starts the service.
 * @param given what a process that holds several services shares among them
 */
export async function startNotifications(
  config: NotificationsConfig,
  given: { transport?: Transport; clock?: Clock } = {},
): Promise<RunningService> {
  const log = createLog({ service: name, level: config.logLevel });
  const clock = given.clock ?? systemClock;
  const mailer = createMailer(config);
  const outbound = createOutbound(mayReachLoopback(config));
  const db = await openDatabase({
    url: config.databaseUrl,
    entities,
    migrations,
    poolSize: config.databasePoolSize,
    applicationName: name,
  });
  await migrate(db);
  const transport = await openTransport(name, config, given.transport, log);
  const identity = connect(ResourcesService, config.identityGrpc, config.internalSecret);

  const app: App = {
    db,
    clock,
    log,
    organizations: replica<OrganizationCopy>(name, 'organizations', identity),
    vault: createVault(config.sealingSecret ?? config.internalSecret),
    outbound,
    mailer,
    random: Math.random,
    publicUrl: config.publicUrl,
  };
  const dispatchers = startDispatchers(app, config.databaseUrl);

  return runService({
    name,
    config,
    db,
    app,
    transport,
    routes,
    grpc: [],
    consumers: consumers(app),
    jobs,
    reconciliation,
    closes: [mailer.close, identity.close, dispatchers.stop],
    clock,
    log,
  });
}

if (import.meta.main) await serviceMain(name, notificationsShape, migrations, startNotifications);
