import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ConfigError, type Environment, httpUrl, readConfig } from '@tributary/runtime/config.ts';

/** Address of each service, by its name. */
export type Addresses = Readonly<Record<string, string>>;

/** Where `npm start` keeps its data. */
const HOME = resolve(import.meta.dirname, '../../.tributary');

/**
 * The services' own addresses: `<NAME>_URL` as the gateway reads them, or, when none is set, those of the platform that
 * `npm start` started last on `TRIBUTARY_HOME`.
 */
export function readAddresses(environment: Environment, names: readonly string[]): Addresses {
  const variables = names.map((name) => `${name.toUpperCase()}_URL`);
  if (variables.every((name) => !environment[name])) {
    return startedLast(resolve(environment.TRIBUTARY_HOME || HOME));
  }
  const config: object = readConfig(
    Object.fromEntries(variables.map((name) => [name, httpUrl])),
    environment,
  );
  return Object.fromEntries(
    names.map((name) => [name, (config as Record<string, unknown>)[`${name}Url`] as string]),
  );
}

function startedLast(home: string): Addresses {
  const path = join(home, 'services.json');
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Addresses;
  } catch {
    throw new ConfigError(`${path} is not there: run npm start first, or set IDENTITY_URL and the others`);
  }
}
