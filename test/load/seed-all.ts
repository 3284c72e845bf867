import pg from 'pg';
import { apiClient } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import type { LoadPlatform } from './load-platform.ts';
import { seedCatalog } from './seed-catalog.ts';
import { seedBusyCustomer, seedCommerce } from './seed-commerce.ts';
import { seedIdentity } from './seed-identity.ts';
import { seedMetering } from './seed-metering.ts';
import { seedNotifications } from './seed-notifications.ts';
import { idOf, seeding } from './seed-table.ts';

const seeds = {
  identity: seedIdentity,
  catalog: seedCatalog,
  commerce: seedCommerce,
  metering: seedMetering,
  notifications: seedNotifications,
};
export type Seeded = keyof typeof seeds;

/**
 * Makes one record of each kind through the API and copies it, with values of its own, as often as is wanted, in the
 * services' databases that are named.
 * @returns ids of records that many others belong to
 */
export async function seedAll(
  platform: LoadPlatform,
  rows: number,
  services: ReadonlySet<Seeded>,
): Promise<Record<string, string>> {
  const webhooks = await startWebhookReceiver();
  const merchant = apiClient({ baseUrl: platform.baseUrl, token: platform.organizationToken });
  const { meter } = await firstSale({ merchant, webhooks });
  await webhooks.stop();
  const given = { rows, organizationId: platform.organizationId, userId: platform.userId };
  for (const service of services) await seeding(databaseOf(platform, service), given, seeds[service]);
  // The portal opens to a customer whom commerce knows.
  if (!services.has('commerce')) await seeding(databaseOf(platform, 'commerce'), given, seedBusyCustomer);
  return {
    ...(await busyRecords(platform, rows)),
    meter_id: meter.id,
    organization_id: platform.organizationId,
  };
}

function databaseOf(platform: LoadPlatform, service: string): string {
  const url = new URL(platform.postgresUrl);
  url.pathname = `/tributary_${service}`;
  return url.href;
}

async function busyRecords(platform: LoadPlatform, rows: number) {
  const client = new pg.Client({ connectionString: databaseOf(platform, 'commerce') });
  await client.connect();
  const { rows: found } = await client.query<Record<string, string>>(
    `select ${idOf('customer', rows, '0')} as busy_customer, ${idOf('benefit', rows, '0')} as busy_benefit`,
  );
  await client.end();
  return found[0]!;
}
