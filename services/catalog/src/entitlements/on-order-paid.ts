import { eventTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { hasSeatPrice } from '../products/price-store.ts';
import { productsById } from '../products/store.ts';
import type { Entitlement } from './entitlement.ts';
import { ensureEntitlement, updateEntitlement } from './store.ts';
import { syncEntitlements } from './sync-entitlement.flow.ts';

const OrderPaid = z.looseObject({
  customer_id: z.string(),
  metadata: z.looseObject({
    order_id: z.string(),
    product_id: z.string().optional(),
    subscription_id: z.string().optional(),
  }),
});
type OrderPaid = z.output<typeof OrderPaid>;

/** A one-time purchase gives its benefits for good; what a subscription gives hangs on the subscription. */
export const onOrderPaid = consumer({
  name: 'catalog.follow-orders',
  topic: eventTopics.order.name,
  types: ['order.paid'],
  schema: OrderPaid,
  async prepare({ value }, { db, replicas }) {
    const productId = value && oneTimeProduct(value);
    if (!value || !productId) return undefined;
    const [product] = await productsById(db.manager, [productId]);
    if (!product) throw new Error(`order ${value.metadata.order_id} has unknown product ${productId}`);
    await replicas.customers.get(db, [value.customer_id]);
    return product;
  },
  async handle({ value }, tx, { clock }, product) {
    if (!value || !product) return;
    const now = clock.now();
    const draft: Entitlement = {
      id: value.metadata.order_id,
      kind: 'order',
      organization_id: product.organization_id,
      customer_id: value.customer_id,
      product_id: product.id,
      checkout_id: null,
      is_active: true,
      has_seats: await hasSeatPrice(tx, product.id),
      revoke_at: null,
      created_at: now,
      modified_at: null,
    };
    const known = await ensureEntitlement(tx, draft);
    const entitlement = { ...draft, created_at: known.created_at };
    await updateEntitlement(tx, entitlement);
    await syncEntitlements(tx, [entitlement], now);
  },
});

const oneTimeProduct = ({ metadata }: OrderPaid): string | undefined =>
  metadata.subscription_id === undefined ? metadata.product_id : undefined;
