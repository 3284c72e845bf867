/**
 * `npm run servers -w deploy/servers -- kafka redis`: starts the named servers, prints what to put into the environment
 * to use them, and stops them at Ctrl-C. Their data is gone afterwards.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServerFailure } from './failure.ts';
import { startKafka } from './kafka.ts';
import { mavenServers } from './maven.ts';
import { startRedis } from './redis.ts';

const starters: Record<string, (folder: string) => Promise<{ line: string; stop(): Promise<void> }>> = {
  async kafka(folder) {
    const { broker, stop } = await startKafka(folder);
    const line = `KAFKA_BROKERS=${broker}\nKAFKA_CLASSPATH='${join(mavenServers(), 'kafka', '*')}'`;
    return { line, stop };
  },
  async redis(folder) {
    const { url, stop } = await startRedis(folder);
    return { line: `REDIS_URL=${url}`, stop };
  },
};

const folder = mkdtempSync(join(tmpdir(), 'tributary-servers-'));
const running: { stop(): Promise<void> }[] = [];

async function end(code: number): Promise<never> {
  await Promise.all(running.map((server) => server.stop()));
  rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
process.on('SIGINT', () => void end(0));
process.on('SIGTERM', () => void end(0));

try {
  for (const name of process.argv.slice(2)) {
    const start = starters[name];
    if (!start)
      throw new ServerFailure(`no server "${name}"; there are: ${Object.keys(starters).join(', ')}`);
    const server = await start(join(folder, name));
    running.push(server);
    console.log(server.line);
  }
  setInterval(() => undefined, 60_000);
} catch (error) {
  if (!(error instanceof ServerFailure)) throw error;
  console.error(`servers: ${error.message}`);
  await end(1);
}
