import { type ConfigOf, readConfig, type ServiceConfig, type serviceShape } from './config.ts';
import { type Migrations, migrate, openDatabase } from './db/data-source.ts';
import type { Logger } from './log.ts';
import { kafkaTransport } from './messaging/kafka.ts';
import type { Transport } from './messaging/message.ts';
import type { RunningService } from './service.ts';
import { runMain } from './shutdown.ts';
import { startTelemetry } from './telemetry.ts';

/**
 * The process of one service: `node main.ts` starts it, `node main.ts migrate` applies its migrations and ends.
 * @param shape what it reads from the environment
 */
export async function serviceMain<S extends typeof serviceShape>(
  name: string,
  shape: S,
  migrations: Migrations,
  start: (config: ConfigOf<S>) => Promise<RunningService>,
): Promise<void> {
  await runMain(name, async (closing) => {
    const config = readConfig(shape, process.env) as ConfigOf<S> & ServiceConfig;
    if (process.argv[2] === 'migrate') {
      const db = await openDatabase({ url: config.databaseUrl, entities: [], migrations, poolSize: 2 });
      await migrate(db);
      await db.destroy();
      process.exit(0);
    }
    const telemetry = await startTelemetry(name, config.otelExporterOtlpEndpoint);
    closing.add('telemetry', () => telemetry.stop());
    const service = await start(config);
    closing.add(name, () => service.stop());
  });
}

/** The transport a service was given, or Kafka. */
export async function openTransport(
  name: string,
  config: ServiceConfig,
  given: Transport | undefined,
  log: Logger,
): Promise<Transport> {
  if (given) return given;
  if (!config.kafkaBrokers) throw new Error(`${name} was given neither a transport nor brokers`);
  return kafkaTransport({ brokers: [...config.kafkaBrokers], clientId: name, log });
}
