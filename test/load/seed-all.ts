import pg from 'pg';
import { apiClient } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import type { LoadPlatform } from './load-platform.ts';
import { seedCatalog } from './seed-catalog.ts';
import { seedCommerce } from './seed-commerce.ts';
import { seedIdentity } from './seed-identity.ts';
import { seedMetering } from './seed-metering.ts';
import { seedNotifications } from './seed-notifications.ts';
import { idOf, type Seeder, seeding } from './seed-table.ts';

/**
 * Makes one record of each kind through the API and copies it, with values of its own, as often as is wanted.
 * @returns ids of records that many others belong to
 */
export async function seedAll(platform: LoadPlatform, rows: number): Promise<Record<string, string>> {
  const webhooks = await startWebhookReceiver();
  const merchant = apiClient({ baseUrl: platform.baseUrl, token: platform.organizationToken });
  const { meter } = await firstSale({ merchant, webhooks });
  await webhooks.stop();
  const given = { rows, organizationId: platform.organizationId };
  const seed = (service: string, work: (seeder: Seeder) => Promise<void>) =>
    seeding(databaseOf(platform, service), given, work);
  await Promise.all([
    seed('commerce', seedCommerce),
    seed('catalog', seedCatalog).then(() => seed('metering', seedMetering)),
  ]);
  await seed('notifications', seedNotifications);
  await seed('identity', (seeder) => seedIdentity(seeder, platform.userId));
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
