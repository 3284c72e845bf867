import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { expectStatus } from '../../story/api.ts';
import { startTestPlatform, type TestPlatform } from '../test-platform.ts';
import {
  expectBothFilters,
  expectFields,
  expectFilter,
  expectIdFilter,
  expectInvalid,
  expectMerchantAccess,
  expectPaging,
  expectSorting,
  expectSortingBySeveral,
  listAll,
} from './expectations.ts';
import { customerFields, customerMeterFields, meterFields } from './fields.ts';
import { buy, makeBenefit, makeCustomer, makeProduct } from './fixtures.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
type Json = any;

const PATH = '/v1/customer-meters/';
let platform: TestPlatform;
const meters: Json[] = [];
const customers: Json[] = [];
let archived: Json;

beforeAll(async () => {
  platform = await startTestPlatform();
  const { merchant } = platform;
  for (const name of ['zips', 'calls', 'past'])
    meters.push(
      expectStatus(
        await merchant.post('/v1/meters/', {
          name,
          filter: { conjunction: 'and', clauses: [{ property: 'name', operator: 'eq', value: name }] },
          aggregation: { func: 'count' },
          metadata: { color: 'red' },
        }),
        201,
      ),
    );
  archived = meters[2];
  for (const name of ['bob', 'alice', 'carol'])
    customers.push(await makeCustomer(merchant, { name, external_id: `external-${name}` }));
  const uses: [string, string, number][] = [
    ['zips', 'bob', 3],
    ['calls', 'bob', 1],
    ['zips', 'alice', 2],
    ['calls', 'carol', 3],
    ['past', 'carol', 1],
  ];
  const events = uses.flatMap(([name, customer, times]) =>
    Array.from({ length: times }, () => ({ name, external_customer_id: `external-${customer}` })),
  );
  expectStatus(await merchant.post('/v1/events/ingest', { events }), 200);
  const credit = await makeBenefit(merchant, {
    type: 'meter_credit',
    description: 'Included calls',
    properties: { meter_id: meters[1].id, units: 10, rollover: false },
  });
  const product = await makeProduct(merchant, {}, [credit.id]);
  await buy(merchant, product, { customer_id: customers[2].id, customer_email: undefined });
  await eventually(async () => {
    const items = await listAll(merchant, PATH);
    const sums = items.map((item) => [
      item.customer.name,
      item.meter.name,
      item.consumed_units,
      item.credited_units,
    ]);
    expect(sums.toSorted()).toEqual([
      ['alice', 'zips', 2, 0],
      ['bob', 'calls', 1, 0],
      ['bob', 'zips', 3, 0],
      ['carol', 'calls', 3, 10],
      ['carol', 'past', 1, 0],
    ]);
  });
  expectStatus(await merchant.patch(`/v1/meters/${archived.id}`, { is_archived: true }), 200);
}, 120_000);
afterAll(() => platform?.stop());

test('every field is there, with the customer and the meter', async () => {
  const [row] = await listAll(
    platform.merchant,
    `${PATH}?customer_id=${customers[2].id}&meter_id=${meters[1].id}`,
  );
  expectFields(row, customerMeterFields);
  expectFields(row.customer, customerFields);
  expectFields(row.meter, meterFields);
  expect(row).toMatchObject({
    customer_id: customers[2].id,
    meter_id: meters[1].id,
    consumed_units: 3,
    credited_units: 10,
    balance: 7,
    customer: { name: 'carol', external_id: 'external-carol' },
    meter: {
      name: 'calls',
      metadata: { color: 'red' },
      filter: { clauses: [{ property: 'name', value: 'calls' }] },
      aggregation: { func: 'count' },
      organization_id: platform.organizationId,
    },
  });
  expect(row).toEqual(expectStatus(await platform.merchant.get(`${PATH}${row.id}`), 200));
});

test('is paged, the latest change first unless sorted otherwise', async () => {
  await expectPaging(platform.merchant, PATH);
  const changed = (await listAll(platform.merchant, PATH)).map((item) => item.modified_at ?? '');
  expect(changed).toEqual(changed.toSorted().toReversed());
});

test('is sorted by each of the nine keys, both ways', async () => {
  const keys = {
    created_at: (item: Json) => item.created_at,
    modified_at: (item: Json) => item.modified_at,
    customer_id: (item: Json) => item.customer_id,
    customer_name: (item: Json) => item.customer.name,
    meter_id: (item: Json) => item.meter_id,
    meter_name: (item: Json) => item.meter.name,
    consumed_units: (item: Json) => item.consumed_units,
    credited_units: (item: Json) => item.credited_units,
    balance: (item: Json) => item.balance,
  };
  await expectSorting(platform.merchant, PATH, keys);
  await expectSortingBySeveral(
    platform.merchant,
    PATH,
    ['meter_name', 'consumed_units'],
    [keys.meter_name, keys.consumed_units],
  );
});

describe('is filtered', () => {
  test('by customer_id', () =>
    expectIdFilter(
      platform.merchant,
      PATH,
      'customer_id',
      [customers[0].id, customers[1].id],
      (item, id) => item.customer_id === id,
    ));

  test('by meter_id', () =>
    expectIdFilter(
      platform.merchant,
      PATH,
      'meter_id',
      [meters[0].id, meters[1].id],
      (item, id) => item.meter_id === id,
    ));

  test('by meter_id, which also shows an archived meter that is hidden otherwise', async () => {
    const rows = await listAll(platform.merchant, `${PATH}?meter_id=${archived.id}`);
    expect(rows).toMatchObject([{ customer: { name: 'carol' }, meter: { archived_at: expect.any(String) } }]);
    const shown = (await listAll(platform.merchant, PATH)).map((item) => item.meter_id);
    expect(shown).not.toContain(archived.id);
  });

  test('by external_customer_id', async () => {
    await expectFilter(
      platform.merchant,
      PATH,
      'external_customer_id',
      ['external-bob', 'external-carol'],
      (item, id) => item.customer.external_id === id,
    );
    expect(await listAll(platform.merchant, `${PATH}?external_customer_id=none`)).toEqual([]);
  });

  test('by organization_id, within what the caller reaches', async () => {
    const { merchant, organizationId } = platform;
    const own = await listAll(merchant, PATH);
    for (const id of [organizationId, organizationId.toUpperCase()])
      expect(await listAll(merchant, `${PATH}?organization_id=${id}`)).toEqual(own);
    const stranger = merchant.as(await platform.strangerToken());
    expect(await listAll(stranger, `${PATH}?organization_id=${organizationId}`)).toEqual([]);
    expectInvalid(await merchant.get(`${PATH}?organization_id=x`), ['query', 'organization_id']);
  });

  test('by several filters, which must all hold', () =>
    expectBothFilters(platform.merchant, PATH, [
      `customer_id=${customers[0].id}`,
      `meter_id=${meters[0].id}`,
    ]));
});

test(
  'takes every merchant scheme with customer_meters:read',
  () =>
    expectMerchantAccess(platform, { granting: ['customer_meters:read'], success: 200 }, (api) =>
      api.get(PATH),
    ),
  60_000,
);
