import pg from 'pg';
import { apiClient } from '../story/api.ts';
import { firstSale } from '../story/first-sale.ts';
import { startWebhookReceiver } from '../story/webhook-receiver.ts';
import type { KeptSite } from './kept-site.ts';
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

/** Databases that are seeded at the same time. */
const AT_ONCE = 2;

/**
 * Makes one record of each kind through the API and copies it, with values of its own, as often as is wanted, in the
 * databases of the services that are named and not yet seeded.
 * @returns ids of records that many others belong to
 */
export async function seedAll(
  platform: LoadPlatform,
  site: KeptSite,
  rows: number,
  wanted: readonly Seeded[],
): Promise<Record<string, string>> {
  site.meterId ??= await oneOfEach(platform);
  const given = {
    rows,
    organizationId: platform.organizationId,
    userId: platform.userId,
    secret: platform.secret,
  };
  const waiting = wanted.filter((service) => !site.seeded.includes(service));
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let service = waiting.shift(); service; service = waiting.shift()) {
        await seeding(databaseOf(platform, service), given, seeds[service]);
        site.seeded.push(service);
      }
    }),
  );
  // The portal opens to a customer whom commerce knows.
  if (!site.seeded.includes('commerce'))
    await seeding(databaseOf(platform, 'commerce'), given, seedBusyCustomer);
  site.save();
  return {
    ...(await busyRecords(platform, rows)),
    meter_id: site.meterId,
    organization_id: platform.organizationId,
  };
}

async function oneOfEach(platform: LoadPlatform): Promise<string> {
  const webhooks = await startWebhookReceiver();
  const merchant = apiClient({ baseUrl: platform.baseUrl, token: platform.organizationToken });
  const { meter } = await firstSale({ merchant, webhooks });
  await webhooks.stop();
  return meter.id;
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
    `select ${idOf('customer', rows, '0')} as busy_customer, ${idOf('benefit', rows, '0')} as busy_benefit,
       ${idOf('benefit', rows, '3')} as benefit_with_file, ${idOf('endpoint', rows, '0')} as busy_endpoint`,
  );
  await client.end();
  return found[0]!;
}
