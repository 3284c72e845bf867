import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { MissingServer } from '@tributary/servers/failure.ts';
import { identityOf, isAlive } from '@tributary/servers/os-process.ts';
import { type ServerKind, type StartedServer, writeOutcome } from './shared-server.ts';
import { startServer } from './start-server.ts';
import { currentRun, ownerOf } from './test-run.ts';

/** `node keeper.ts <kind>`: starts one server for a test run and keeps it until the run is over. */
const OWNER_POLL_MS = 500;

const kind = process.argv[2] as ServerKind;
const run = currentRun();
const owner = ownerOf(run);
writeFileSync(join(run.folder, `${kind}.keeper`), JSON.stringify(identityOf(process.pid)));

const isOver = new Promise<void>((resolve) => {
  // Not `once`: a library that finds itself alone on a signal ends the process, and the server would stay behind.
  process.on('SIGTERM', resolve);
  process.on('SIGINT', resolve);
  setInterval(() => (owner && isAlive(owner)) || resolve(), OWNER_POLL_MS);
});

let server: StartedServer | undefined;
try {
  server = await startServer(kind, join(run.folder, kind));
  writeOutcome(run.folder, kind, { addresses: server.addresses });
  await isOver;
} catch (error) {
  console.error(error);
  const { message } = error as Error;
  writeOutcome(run.folder, kind, error instanceof MissingServer ? { missing: message } : { failed: message });
}
await server?.stop();
// A run that was killed ends here; one that ends in order removes its folder itself.
if (!owner || !isAlive(owner)) rmSync(run.folder, { recursive: true, force: true });
process.exit();
