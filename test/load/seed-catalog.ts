import { customerOf, productOf } from './seed-commerce.ts';
import { idOf, type Seeder, spread, timeOf } from './seed-table.ts';

/** One of ten benefits of the row's organization. */
export const benefitOf = (rows: number) => idOf('benefit', rows, 'seed.pick(i, 10) * 10 + i % 10');

export async function seedCatalog(seeder: Seeder): Promise<void> {
  const { rows, fill } = seeder;
  const organization_id = `seed.organization('${seeder.organizationId}', i)`;
  const common = { created_at: timeOf(rows), modified_at: 'null', organization_id };
  const metadata = `jsonb_build_object('plan', seed.pick(i, 5), 'ref', 'ref-' || i)`;
  await fill('products', {
    ...common,
    id: idOf('product', rows),
    name: `'Product ' || seed.word(i)`,
    visibility: spread({ public: 90, private: 9, draft: 1 }),
    recurring_interval: `case when i % 3 > 0 then 'month' end`,
    is_archived: 'seed.pick(i, 10) = 0',
    first_amount_type: spread({ fixed: 80, custom: 10, seat_based: 10 }),
    first_amount: 'seed.pick(i, 10000)',
    metadata,
  });
  await fill('prices', {
    id: idOf('price', rows),
    product_id: idOf('product', rows),
    created_at: timeOf(rows),
  });
  await fill('benefits', {
    ...common,
    id: idOf('benefit', rows),
    description: `'Benefit ' || seed.word(i)`,
    type: `case when i % 10 = 3 then 'downloadables' else ${spread({ license_keys: 70, custom: 29, feature_flag: 1 })} end`,
    properties: `case when i % 10 = 3 then jsonb_build_object('files', array[${idOf('file', rows)}], 'archived', '{}'::jsonb)
      else made.properties end`,
    metadata,
    deleted_at: 'null',
  });
  await fill('custom_fields', {
    ...common,
    id: idOf('customField', rows),
    deleted_at: 'null',
    type: spread({ text: 70, number: 29, select: 1 }),
    slug: `'field_' || i`,
    name: `'Field ' || seed.word(i)`,
    properties: `'{}'`,
    metadata,
  });
  await fill('product_benefits', {
    product_id: idOf('product', rows),
    benefit_id: benefitOf(rows),
    position: '0',
  });
  await seedGrants(seeder, common);
  await fill('files', {
    ...common,
    id: idOf('file', rows),
    name: `'file-' || i || '.zip'`,
    path: `'files/' || i`,
    service: spread({ downloadable: 80, product_media: 20 }),
    mime_type: `'application/zip'`,
    size: 'i',
    parts: `'[]'`,
    is_uploaded: 'true',
  });
  await fill('downloadables', {
    organization_id,
    created_at: timeOf(rows),
    id: idOf('downloadable', rows),
    customer_id: idOf('customer', rows),
    benefit_id: idOf('benefit', rows, 'seed.pick(i, 10) * 10 + 3'),
    file_id: idOf('file', rows, 'seed.pick(i, 10) * 10 + 3'),
    downloads: 'seed.pick(i, 5)',
  });
  await fill('customers_replica', {
    id: idOf('customer', rows),
    organization_id,
    value: `made.value || jsonb_build_object('id', ${idOf('customer', rows)}, 'organization_id', ${organization_id},
      'external_id', 'ext-' || i, 'email', 'person' || i || '@example.com')`,
  });
}

async function seedGrants({ rows, fill }: Seeder, common: Record<string, string>): Promise<void> {
  const customer_id = customerOf(rows);
  const isRevoked = 'seed.pick(i, 10) = 0';
  await fill('entitlements', {
    ...common,
    id: idOf('entitlement', rows),
    customer_id,
    product_id: productOf(rows),
    checkout_id: idOf('checkout', rows),
    revoke_at: 'null',
  });
  await fill('benefit_grants', {
    ...common,
    id: idOf('grant', rows),
    entitlement_id: idOf('entitlement', rows),
    subscription_id: idOf('subscription', rows),
    order_id: 'null',
    customer_id,
    member_id: 'null',
    benefit_id: benefitOf(rows),
    granted_at: `case when not ${isRevoked} then ${timeOf(rows)} end`,
    revoked_at: `case when ${isRevoked} then ${timeOf(rows)} end`,
  });
  await fill('license_keys', {
    ...common,
    id: idOf('license', rows),
    customer_id,
    member_id: 'null',
    benefit_id: benefitOf(rows),
    benefit_grant_id: idOf('grant', rows),
    key: `'TRB-' || i`,
    status: spread({ granted: 89, revoked: 10, disabled: 1 }),
  });
}
