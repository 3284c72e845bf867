import { apiClient, expectStatus } from '../story/api.ts';
import type { Load } from './load.ts';

// biome-ignore lint/suspicious/noExplicitAny: the reconciler reads records of every shape
type Json = any;

/** What the API shows of a load. */
export interface Records {
  orders: Json[];
  subscriptions: Json[];
  grants: Json[];
  licenseKeys: Json[];
  meters: Json[];
  paidEvents: Json[];
  changeEvents: Json[];
}

export async function readRecords(load: Load): Promise<Records> {
  const { merchant, product, licenseKeys, meter, changing, since } = load;
  const api = apiClient({ baseUrl: merchant.baseUrl, token: merchant.token });
  const read = async (path: string, isOfLoad: (item: Json) => boolean = () => true): Promise<Json[]> => {
    const items: Json[] = [];
    for (let page = 1, pages = 1; page <= pages; page += 1) {
      const body = expectStatus(await api.get(`${path}&limit=100&page=${page}`), 200);
      items.push(...body.items.filter(isOfLoad));
      // Lists without a filter for the product are read from the newest on.
      pages = body.items.every(isOfLoad) ? body.pagination.max_page : page;
    }
    return items;
  };
  const isRecent = (item: Json) => new Date(item.created_at) >= since;
  const start = `start_timestamp=${since.toISOString()}`;
  const paid = await read(`/v1/events/?name=order.paid&${start}&sorting=timestamp`);
  return {
    orders: await read(`/v1/orders/?product_id=${product.id}&sorting=created_at`),
    subscriptions: await read(`/v1/subscriptions/?product_id=${product.id}&sorting=started_at`),
    grants: await read('/v1/benefit-grants/?is_granted=true&sorting=-created_at', isRecent),
    licenseKeys: await read(`/v1/license-keys/?benefit_id=${licenseKeys.id}`),
    meters: await read(`/v1/customer-meters/?meter_id=${meter.id}`),
    paidEvents: paid,
    changeEvents: await read(
      `/v1/events/?name=customer.updated&customer_id=${changing.id}&sorting=timestamp`,
    ),
  };
}
