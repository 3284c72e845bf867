import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { Customer } from '../customers/customer.ts';
import type { ProductCopy } from '../products/product.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { orderVoided } from './messages.ts';
import { voidOrder } from './order.ts';
import { itemsOf, lockPendingOrders, saveOrder } from './store.ts';

/** Gives up what a subscription still owes. Balances move when an order is settled, so there is nothing to undo. */
export async function voidPendingOrders(
  tx: Tx,
  subscription: Subscription,
  parts: { customer: Customer; product: ProductCopy },
  now: Date,
): Promise<void> {
  const pending = await lockPendingOrders(tx, subscription.id);
  const items = await itemsOf(
    tx,
    pending.map(({ id }) => id),
  );
  for (const order of pending) {
    const given = voidOrder(order, now);
    const { customer, product } = parts;
    const view = { order: given, items: items.get(order.id) ?? [], customer, product, subscription };
    await saveOrder(tx, given, orderVoided(view, now));
  }
}
