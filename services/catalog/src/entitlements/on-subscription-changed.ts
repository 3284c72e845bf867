import { stateTopics } from '@tributary/proto/events/topics.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { productsById } from '../products/store.ts';
import { accessOf, type Entitlement, hasChanged } from './entitlement.ts';
import { ensureEntitlement, lockEntitlement, updateEntitlement } from './store.ts';
import { syncEntitlements } from './sync-entitlement.flow.ts';

const Subscription = z.looseObject({
  id: z.string(),
  status: z.string(),
  customer_id: z.string(),
  product_id: z.string(),
  checkout_id: z.string().nullish(),
  seats: z.int().nullish(),
  past_due_at: z.iso
    .datetime({ offset: true })
    .nullish()
    .transform((text) => (text ? new Date(text) : null)),
});
type Subscription = z.output<typeof Subscription>;

/** Grants, keeps or revokes what a subscription's product gives, by the subscription's status. */
export const onSubscriptionChanged = consumer({
  name: 'catalog.follow-subscriptions',
  topic: stateTopics.subscriptions.name,
  schema: Subscription,
  async prepare({ value }, { db, replicas }) {
    if (value === null) return undefined;
    const [product] = await productsById(db.manager, [value.product_id]);
    if (!product) throw new Error(`subscription ${value.id} has unknown product ${value.product_id}`);
    const organizations = await replicas.organizations.get(db, [product.organization_id]);
    await replicas.customers.get(db, [value.customer_id]);
    const settings = organizations.get(product.organization_id)?.subscription_settings;
    return { product, graceDays: settings?.benefit_revocation_grace_period ?? 0 };
  },
  async handle({ key, value }, tx, { clock }, prepared) {
    const now = clock.now();
    const known = await lockEntitlement(tx, key);
    if (!value || !prepared) {
      if (known?.is_active) await apply(known, { ...known, is_active: false, revoke_at: null });
      return;
    }
    const access = accessOf(value.status, value.past_due_at, prepared.graceDays, now);
    if (!known && !access.is_active) return;
    const fields = { ...fieldsOf(value), organization_id: prepared.product.organization_id, ...access };
    const blank: Entitlement = { ...fields, is_active: false, created_at: now, modified_at: null };
    const before = known ?? (await ensureEntitlement(tx, blank));
    await apply(before, { ...before, ...fields });

    async function apply(from: Entitlement, to: Entitlement): Promise<void> {
      await updateEntitlement(tx, { ...to, modified_at: now });
      if (hasChanged(from, to)) await syncEntitlements(tx, [to], now, from.has_seats);
    }
  },
});

const fieldsOf = (value: Subscription) => ({
  id: value.id,
  kind: 'subscription' as const,
  customer_id: value.customer_id,
  product_id: value.product_id,
  checkout_id: value.checkout_id ?? null,
  has_seats: value.seats != null,
});
