import { stateChanged, webhookEvent } from '@tributary/proto/events/message.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { FileLinks } from '../files/links.ts';
import { loadProduct, loadProducts } from './load-products.flow.ts';
import { presentProduct } from './present.ts';
import type { Product } from './product.ts';
import type { ProductWire } from './schema.ts';

/** Tells of a product's new state, and of the merchant's change to webhooks. */
export async function publishProduct(
  tx: Tx,
  product: Product,
  links: FileLinks,
  { type, now }: { type: 'product.created' | 'product.updated'; now: Date },
): Promise<ProductWire> {
  const presented = presentProduct(await loadProduct(tx, product), links);
  await emit(tx, [
    stateChanged('products', product.id, presented),
    webhookEvent(type, product.organization_id, presented, now),
  ]);
  return presented;
}

/** Tells of the new state of products after something they embed has changed. */
export async function republishProducts(
  tx: Tx,
  products: readonly Product[],
  links: FileLinks,
): Promise<void> {
  const views = await loadProducts(tx, products);
  await emit(
    tx,
    views.map((view) => stateChanged('products', view.product.id, presentProduct(view, links))),
  );
}
