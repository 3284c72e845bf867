import type { App } from '../app.ts';
import { customersById } from '../customers/store.ts';
import { subscriptionsById } from '../subscriptions/store.ts';
import type { Order } from './order.ts';
import type { OrderView } from './present.ts';
import { itemsOf } from './store.ts';

/** Orders with all that their representation embeds: four statements for any number of them. */
export async function orderViews(app: App, found: readonly Order[]): Promise<Map<string, OrderView>> {
  const reader = app.db.manager;
  const ids = (key: 'product_id' | 'subscription_id') => found.flatMap((order) => order[key] ?? []);
  const [items, customers, products, subscriptions] = await Promise.all([
    itemsOf(
      reader,
      found.map(({ id }) => id),
    ),
    customersById(
      reader,
      found.map((order) => order.customer_id),
    ),
    app.replicas.products.get(reader, ids('product_id')),
    subscriptionsById(reader, ids('subscription_id')),
  ]);
  return new Map(
    found.map((order) => [
      order.id,
      {
        order,
        items: items.get(order.id) ?? [],
        customer: customers.get(order.customer_id)!,
        product: products.get(order.product_id ?? '') ?? null,
        subscription: subscriptions.get(order.subscription_id ?? '') ?? null,
      },
    ]),
  );
}
