import { newId } from '@tributary/proto/id.ts';
import { grpcServices } from './grpc.ts';
import { type CommerceUnderTest, commerceUnderTest } from './testing/commerce.ts';
import { seatBased } from './testing/copies.ts';

let commerce: CommerceUnderTest;
beforeAll(async () => {
  commerce = await commerceUnderTest();
}, 60_000);
afterAll(() => commerce?.stop());

type GetResources = (request: { resource: string; ids: string[] }) => Promise<{
  resources: { id: string; value: Record<string, unknown> }[];
}>;
const getResources = (resource: string, ids: string[]) => {
  const [resources] = grpcServices(commerce.app);
  return (resources!.implementation.getResources as unknown as GetResources)({ resource, ids });
};

describe('what other services ask for', () => {
  test('is what the state topics tell', async () => {
    const product = commerce.product({ recurring_interval: 'month', prices: [seatBased(500)] });
    await commerce.buy(product.id, { seats: 2 });
    const rows = await commerce.outbox();
    for (const resource of ['customers', 'members', 'subscriptions', 'customer_seats']) {
      const told = rows.filter((row) => row.topic === `tributary.state.${resource}`).at(-1)!;
      const { resources } = await getResources(resource, [told.key, newId()]);
      expect([resource, resources]).toEqual([resource, [{ id: told.key, value: told.value }]]);
      expect([resource, resources[0]!.value.organization_id]).toEqual([resource, commerce.organization.id]);
    }
  });

  test('of an order is when and for what it came about', async () => {
    const { customer_id } = await commerce.buy(commerce.product().id);
    const [{ id, created_at }] = (await commerce.ok('GET', `/v1/orders/?customer_id=${customer_id}`)).items;
    expect((await getResources('orders', [id, newId()])).resources).toEqual([
      { id, value: { id, created_at, billing_reason: 'purchase' } },
    ]);
  });

  test('is still told of a deleted customer, and no more of a removed member', async () => {
    const bought = await commerce.buy(commerce.product().id);
    const [member] = (await commerce.ok('GET', `/v1/members/?customer_id=${bought.customer_id}`)).items;
    await commerce.ok('DELETE', `/v1/customers/${bought.customer_id}`);
    const { resources } = await getResources('customers', [bought.customer_id]);
    expect(resources[0]!.value.deleted_at).toBe(commerce.clock.now().toISOString());
    expect((await getResources('members', [member.id])).resources).toEqual([]);
  });

  test('is refused when it is not ours or not asked properly', async () => {
    await expect(getResources('products', [newId()])).rejects.toThrow('no resource products');
    await expect(getResources('constructor', [])).rejects.toThrow('no resource');
    await expect(getResources('customers', ['nonsense'])).rejects.toThrow('UUID');
    await expect(
      getResources(
        'customers',
        Array.from({ length: 101 }, () => newId()),
      ),
    ).rejects.toThrow('100');
  });
});
