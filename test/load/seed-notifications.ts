import { createVault } from '@tributary/notifications/vault.ts';
import { customerOf } from './seed-commerce.ts';
import { idOf, type Seeder, spread, timeOf } from './seed-table.ts';

/** Bodies are archived after a while: every twentieth event still has its own. */
const WITH_BODY = 20;
/** Endpoints that deliveries go to: fifty of each organization. */
const ENDPOINTS = 500;
/** Nobody has a million endpoints. */
const FEWER_ENDPOINTS = 100;

export async function seedNotifications(seeder: Seeder): Promise<void> {
  const { rows, fill } = seeder;
  const organization_id = `seed.organization('${seeder.organizationId}', i)`;
  const common = { created_at: timeOf(rows), modified_at: 'null', organization_id };
  const type = spread({ 'order.paid': 60, 'benefit_grant.created': 39, 'subscription.revoked': 1 });
  /** One of fifty endpoints of the row's organization. */
  const endpoint_id = idOf('endpoint', rows, 'seed.pick(i, 50) * 10 + i % 10');
  await fill(
    'webhook_bodies',
    {
      message_id: idOf('webhookEvent', rows, `i * ${WITH_BODY}`),
      organization_id: `seed.organization('${seeder.organizationId}', i * ${WITH_BODY})`,
      customer_id: customerOf(rows),
      occurred_at: timeOf(rows, `i * ${WITH_BODY}`),
      body: `jsonb_build_object('type', 'order.paid', 'data', jsonb_build_object('id', md5(i::text), 'email',
      'person' || i || '@example.com', 'amount', i))::text`,
    },
    Math.ceil(rows / WITH_BODY),
  );
  await fill('webhook_events', {
    ...common,
    id: idOf('webhookEvent', rows),
    endpoint_id,
    message_id: idOf('webhookEvent', rows),
    type,
    succeeded: 'true',
    due_at: 'null',
    claim_id: 'null',
  });
  await fill('webhook_deliveries', {
    ...common,
    id: idOf('delivery', rows),
    endpoint_id,
    event_id: idOf('webhookEvent', rows),
    type,
    succeeded: 'seed.pick(i, 50) > 0',
    http_code: 'case when seed.pick(i, 50) > 0 then 204 else 500 end',
  });
  await fill(
    'webhook_endpoints',
    {
      ...common,
      id: idOf('endpoint', rows),
      events: `'{}'`,
      enabled: 'false',
      deleted_at: 'null',
    },
    Math.max(rows / FEWER_ENDPOINTS, ENDPOINTS),
  );
  await sealSecrets(seeder);
}

/** Each endpoint's secret opens for that endpoint only. */
async function sealSecrets({ query, secret }: Seeder): Promise<void> {
  const vault = createVault(secret);
  const { rows } = await query('select id from webhook_endpoints where not enabled');
  const sealed = rows.map(({ id }) => [id, vault.seal('whsec_c2VlZGVk', id!)]);
  await query(`update webhook_endpoints set sealed_secret = given.value ->> 1
    from jsonb_array_elements('${JSON.stringify(sealed)}') given where webhook_endpoints.id = (given.value ->> 0)::uuid`);
}
