import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { databasesOn } from '@tributary/embedded/databases.ts';
import { startPlatform } from '@tributary/embedded/platform.ts';
import type { ServiceName } from '@tributary/embedded/service-names.ts';
import type { FirstCredentials } from '@tributary/identity/bootstrap/create-first-organization.flow.ts';
import { type Scope, scopes } from '@tributary/proto/access.ts';
import type { Clock } from '@tributary/runtime/clock.ts';
import { createLog } from '@tributary/runtime/log.ts';
import { requirePostgres } from '@tributary/runtime/testing/servers/postgres.ts';
import { freePorts } from '@tributary/servers/free-ports.ts';
import { type Api, apiClient, expectStatus } from '../story/api.ts';
import { responseValidator } from './response-validator.ts';

const openApi = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../gateway/src/openapi.gen.json'), 'utf8'),
);

export interface TestPlatform {
  baseUrl: string;
  /** The first organization, every answer checked against the API document. */
  merchant: Api;
  merchantToken: string;
  personalToken: string;
  organizationId: string;
  /** A new token of the first organization. */
  tokenWith(granted: readonly Scope[]): Promise<string>;
  /** The first user, organization and OAuth client with their secrets. */
  credentials: FirstCredentials;
  /** A token of another organization with every scope. */
  strangerToken(): Promise<string>;
  /** Folder where mails land. */
  mailFolder: string;
  /** Address of each service's own database. */
  databaseUrls: Readonly<Record<ServiceName, string>>;
  /** Where each service itself listens, behind the gateway. */
  serviceUrls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The whole platform behind its gateway, on databases of its own; over Kafka when brokers are given. */
export async function startTestPlatform(
  options: { kafkaBrokers?: string[]; clock?: Clock } = {},
): Promise<TestPlatform> {
  const { adminUrl } = await requirePostgres();
  const home = mkdtempSync(join(tmpdir(), 'tributary-'));
  const databases = await databasesOn(adminUrl, `e2e_${randomBytes(5).toString('hex')}`);
  const [port] = await freePorts(1);
  const baseUrl = `http://localhost:${port}`;
  const logLevel = (process.env.TEST_LOG_LEVEL ?? 'error') as 'error';
  const platform = await startPlatform({
    home,
    databaseUrls: databases.urls,
    baseUrl,
    port: port!,
    internalSecret: randomBytes(32).toString('hex'),
    tokenSecret: randomBytes(32).toString('hex'),
    kafkaBrokers: options.kafkaBrokers,
    clock: options.clock,
    rateLimitFactor: 1_000_000,
    logLevel,
    log: createLog({ service: 'e2e', level: logLevel }),
  });
  const first = await platform.firstOrganization();
  const onAnswer = responseValidator(openApi);
  const owner = apiClient({ baseUrl, token: first.personal_access_token, onAnswer });
  const tokenOf = async (organization_id: string, granted: readonly Scope[]): Promise<string> =>
    expectStatus(
      await owner.post('/v1/organization-access-tokens/', {
        organization_id,
        comment: 'test',
        scopes: granted,
      }),
      201,
    ).token;
  return {
    baseUrl,
    merchant: apiClient({ baseUrl, token: first.organization_access_token, onAnswer }),
    merchantToken: first.organization_access_token,
    personalToken: first.personal_access_token,
    organizationId: first.organization.id,
    credentials: first,
    tokenWith: (granted) => tokenOf(first.organization.id, granted),
    async strangerToken() {
      const slug = `stranger-${randomBytes(4).toString('hex')}`;
      const organization = expectStatus(
        await owner.post('/v1/organizations/', { name: 'Stranger', slug }),
        201,
      );
      return tokenOf(organization.id, scopes);
    },
    mailFolder: join(home, 'mail'),
    databaseUrls: databases.urls,
    serviceUrls: platform.serviceUrls,
    async stop() {
      await platform.stop();
      rmSync(home, { recursive: true, force: true });
    },
  };
}
