import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLog } from '@tributary/runtime/log.ts';
import { runMain } from '@tributary/runtime/shutdown.ts';
import { readEmbeddedConfig } from './config.ts';
import { readCredentials, writeCredentials } from './credentials.ts';
import { openDatabases } from './databases.ts';
import { startPlatform } from './platform.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { welcome } from './welcome.ts';

/** `npm start`: the whole platform in this process, on a database of its own unless `DATABASE_URL` names one. */
await runMain('tributary', async (closing) => {
  const config = readEmbeddedConfig(process.env);
  const log = createLog({ service: 'tributary', level: config.logLevel });
  const secrets = readOrMakeSecrets(config.home);
  const databases = await openDatabases(config, log);
  closing.add('databases', databases.stop);
  const platform = await startPlatform({
    ...config,
    databaseUrls: databases.urls,
    internalSecret: secrets.internal_secret,
    tokenSecret: secrets.token_secret,
    log,
  });
  closing.add('platform', platform.stop);
  // For `npm run reconcile`: the ports are others at each start.
  writeFileSync(join(config.home, 'services.json'), `${JSON.stringify(platform.serviceUrls, null, 2)}\n`);
  const first = await platform.firstOrganization(readCredentials(config.home));
  const credentials = { ...first, base_url: config.baseUrl };
  writeCredentials(config.home, credentials);
  process.stdout.write(welcome(credentials, config.home));
});
