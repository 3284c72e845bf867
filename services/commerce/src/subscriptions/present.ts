import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import { parseDecimal } from '@tributary/runtime/decimal.ts';
import type { Customer } from '../customers/customer.ts';
import { presentCustomer } from '../customers/present.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { presentPortalOrganization } from '../organizations/present.ts';
import { presentCheckoutProduct } from '../products/present.ts';
import { isMetered } from '../products/price.ts';
import type { ProductCopy } from '../products/product.ts';
import type { CustomerSubscriptionWire, SubscriptionWire } from './schema.ts';
import type { Subscription, SubscriptionMeter } from './subscription.ts';
import { usageAmount } from './usage.ts';

/** A meter, as its owner presents it; what is read here is named, the rest travels along. */
export interface MeterCopy {
  id: string;
  created_at: string;
  modified_at: string | null;
  name: string;
  unit: 'scalar' | 'token' | 'custom';
  custom_label: string | null;
  custom_multiplier: number | null;
  archived_at: string | null;
  organization_id: string;
}

/** What a customer used of a meter and was credited on it. */
export interface MeterTotals {
  consumed_units: number;
  credited_units: number;
}

export interface MeteredPart extends MeterTotals {
  row: SubscriptionMeter;
  meter: MeterCopy | null;
}

/** What a subscription shows besides its own columns. */
export interface SubscriptionParts {
  customer: Customer;
  product: ProductCopy;
  meters: readonly MeteredPart[];
}

/** The columns that every view of a subscription shares. */
export const presentSubscriptionBase = (subscription: Subscription) => ({
  ...presentRecorded(subscription),
  amount: subscription.amount,
  currency: subscription.currency,
  recurring_interval: subscription.recurring_interval,
  recurring_interval_count: subscription.recurring_interval_count,
  status: subscription.status,
  current_period_start: subscription.current_period_start.toISOString(),
  current_period_end: subscription.current_period_end.toISOString(),
  current_meter_period_start: iso(subscription.current_meter_period_start),
  current_meter_period_end: iso(subscription.current_meter_period_end),
  trial_start: iso(subscription.trial_start),
  trial_end: iso(subscription.trial_end),
  cancel_at_period_end: subscription.cancel_at_period_end,
  canceled_at: iso(subscription.canceled_at),
  started_at: iso(subscription.started_at),
  ends_at: iso(subscription.ends_at),
  ended_at: iso(subscription.ended_at),
  past_due_at: iso(subscription.past_due_at),
  pause_at_period_end: subscription.pause_at_period_end,
  paused_at: iso(subscription.paused_at),
  resumes_at: iso(subscription.resumes_at),
  customer_id: subscription.customer_id,
  product_id: subscription.product_id,
  discount_id: subscription.discount_id,
  checkout_id: subscription.checkout_id,
  seats: subscription.seats,
  customer_cancellation_reason: subscription.customer_cancellation_reason,
  customer_cancellation_comment: subscription.customer_cancellation_comment,
});

export const presentSubscription = (subscription: Subscription, parts: SubscriptionParts): SubscriptionWire =>
  ({
    ...presentSubscriptionBase(subscription),
    metadata: subscription.metadata,
    custom_field_data: subscription.custom_field_data,
    customer: presentCustomer(parts.customer),
    product: parts.product,
    discount: null,
    prices: subscription.prices,
    meters: known(parts.meters).map((part) => ({ ...presentMeter(subscription, part), meter: part.meter })),
    pending_update: subscription.pending_update,
  }) as SubscriptionWire;

/** The subscription on its state topic: with the organization it belongs to. */
export const presentSubscriptionState = (subscription: Subscription, parts: SubscriptionParts) => ({
  ...presentSubscription(subscription, parts),
  organization_id: subscription.organization_id,
});

/** The subscription as its customer sees it: the product with who sells it, without what is the merchant's own. */
export const presentPortalSubscription = (
  subscription: Subscription,
  parts: Omit<SubscriptionParts, 'customer'>,
  organization: OrganizationCopy,
): CustomerSubscriptionWire =>
  ({
    ...presentSubscriptionBase(subscription),
    product: {
      ...presentCheckoutProduct(parts.product),
      organization: presentPortalOrganization(organization),
    },
    prices: subscription.prices,
    meters: known(parts.meters).map((part) => ({
      ...presentMeter(subscription, part),
      meter: presentMeterName(part.meter),
    })),
    pending_update: subscription.pending_update,
  }) as CustomerSubscriptionWire;

/** A part is left out while its meter is not known here. */
const known = (parts: readonly MeteredPart[]) =>
  parts.filter((part): part is MeteredPart & { meter: MeterCopy } => part.meter !== null);

const presentMeter = (subscription: Subscription, { row, consumed_units, credited_units }: MeteredPart) => ({
  ...presentRecorded(row),
  consumed_units,
  credited_units,
  amount: meterAmount(subscription, row.meter_id, { consumed_units, credited_units }),
  meter_id: row.meter_id,
});

const presentMeterName = ({ id, created_at, modified_at, name }: MeterCopy) => ({
  id,
  created_at,
  modified_at,
  name,
});

/** What the period's usage costs as it stands. */
export function meterAmount(subscription: Subscription, meterId: string, totals: MeterTotals): number {
  const price = subscription.prices.filter(isMetered).find(({ meter_id }) => meter_id === meterId);
  if (!price) return 0;
  const { consumed_units, credited_units } = totals;
  return usageAmount(price, { consumed_units: parseDecimal(consumed_units), credited_units });
}
