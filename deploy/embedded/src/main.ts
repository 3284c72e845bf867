import { createLog } from '@tributary/runtime/log.ts';
import { runMain } from '@tributary/runtime/shutdown.ts';
import { readEmbeddedConfig } from './config.ts';
import { ensureCredentials } from './credentials.ts';
import { openDatabases } from './databases.ts';
import { lockHome } from './home-lock.ts';
import { startPlatform } from './platform.ts';
import { readOrMakeSecrets } from './secrets.ts';
import { welcome } from './welcome.ts';

/** `npm start`: the whole platform in this process, on a database of its own unless `DATABASE_URL` names one. */
await runMain('tributary', async (closing) => {
  const config = readEmbeddedConfig(process.env);
  const log = createLog({ service: 'tributary', level: config.logLevel });
  closing.add('home', lockHome(config.home));
  const secrets = readOrMakeSecrets(config.home);
  const databases = await openDatabases(config, secrets);
  closing.add('databases', () => databases.stop());
  const platform = await startPlatform({ ...config, ...secrets, databaseUrls: databases.urls, log });
  closing.add('platform', () => platform.stop());
  const credentials = await ensureCredentials(config, secrets, databases.urls.identity);
  process.stdout.write(welcome(credentials, config.home));
});
