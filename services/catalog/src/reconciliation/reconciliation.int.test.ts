import { type BooksUnderTest, booksUnderTest } from '@tributary/runtime/testing/books.ts';
import { reconciliation } from '../reconciliation.ts';
import { type CatalogUnderTest, catalogUnderTest } from '../testing/catalog.ts';

let catalog: CatalogUnderTest;
let books: BooksUnderTest;
beforeAll(async () => {
  catalog = await catalogUnderTest();
  books = booksUnderTest(catalog.app.db, reconciliation, () => catalog.clock.now());
  const keys = await catalog.benefit('license_keys', {
    activations: { limit: 3, enable_customer_admin: true },
  });
  const note = await catalog.benefit('custom', { note: 'Hello' });
  const monthly = await catalog.product({}, [keys, note]);
  const once = await catalog.product({ recurring_interval: null }, [keys]);
  await catalog.subscribe(monthly.id, catalog.customer().id);
  const canceled = await catalog.subscribe(monthly.id, catalog.customer().id);
  await catalog.publish('subscriptions', canceled.id, { ...canceled, status: 'canceled' });
  const buyer = catalog.customer();
  await catalog.buy(once.id, buyer.id);
  const [withdrawn] = (
    await catalog.api('GET', `/v1/license-keys/?benefit_id=${keys.id}&limit=100`)
  ).body.items.filter((key: { customer_id: string }) => key.customer_id === buyer.id);
  await catalog.api('PATCH', `/v1/license-keys/${withdrawn.id}`, { status: 'revoked' });
  await catalog.settle();
}, 60_000);
afterAll(() => catalog?.stop());

test('a subscription, one that ended, and a key that the merchant took back add up', async () => {
  expect(await books.broken()).toEqual([]);
});

const someGrant = `(select id from benefit_grants where granted_at is not null and properties ? 'license_key_id' limit 1)`;

test.each([
  [
    'a grant is lost',
    'benefit_grants',
    `delete from benefit_grants where id = ${someGrant}`,
    ['grants: as the purchases say, subscription'],
  ],
  [
    'a grant ends by itself',
    'benefit_grants',
    `update benefit_grants set granted_at = null, revoked_at = now() where id = ${someGrant}`,
    ['grants: as the purchases say, subscription', 'license keys: not as their grant'],
  ],
  [
    'a grant outlives its subscription',
    'entitlements',
    `update entitlements set is_active = false where id = (select entitlement_id from benefit_grants where id = ${someGrant})`,
    ['grants: held without a purchase that gives them'],
  ],
  [
    'somebody was deleted and keeps a grant',
    'customers_replica',
    `update customers_replica set value = value || '{"deleted_at": "2026-01-01T00:00:00Z"}'
     where id = (select customer_id from benefit_grants where id = ${someGrant})`,
    ['grants: held by somebody who was deleted'],
  ],
  [
    'a key is lost',
    'license_keys',
    `delete from license_keys where benefit_grant_id = ${someGrant}`,
    ['license keys: missing for a grant'],
  ],
  [
    'a key is revoked while its grant stands',
    'license_keys',
    `update license_keys set status = 'revoked' where benefit_grant_id = ${someGrant}`,
    ['license keys: not as their grant'],
  ],
  [
    'a sweep is forgotten',
    'sweeps',
    `insert into sweeps (id, kind, target_id, created_at, due_at)
     values (gen_random_uuid(), 'products-of-meter', gen_random_uuid(), '2000-01-01', '2000-01-01')`,
    ['sweeps: not taken up'],
  ],
])('says so when %s', async (_what, table, sql, names) => {
  expect(await books.brokenBy(table, sql)).toEqual(names);
});

test('what a sweep has yet to reach is not out of line', async () => {
  const note = await catalog.benefit('custom', { note: 'New' });
  const product = await catalog.product({}, []);
  await catalog.subscribe(product.id, catalog.customer().id);
  await catalog.api('POST', `/v1/products/${product.id}/benefits`, { benefits: [note.id] });
  expect(await catalog.app.db.query('select 1 from sweeps')).not.toEqual([]);
  expect(await books.broken()).toEqual([]);
  await catalog.settle();
  expect(await books.broken()).toEqual([]);
});
