import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import type { Customer } from '../customers/customer.ts';
import { presentCustomer } from '../customers/present.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { presentPortalOrganization } from '../organizations/present.ts';
import { presentCheckoutProduct, presentOrderProduct } from '../products/present.ts';
import type { ProductCopy } from '../products/product.ts';
import { presentSubscriptionBase } from '../subscriptions/present.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { refundableAmount, refundableTax } from './amounts.ts';
import { isPaid, type Order, type OrderItem } from './order.ts';
import type { CustomerOrderWire, OrderWire } from './schema.ts';

/** An order with all that its representation embeds. */
export interface OrderView {
  order: Order;
  items: readonly OrderItem[];
  customer: Customer;
  product: ProductCopy | null;
  subscription: Subscription | null;
}

const presentHead = (order: Order) => ({
  ...presentRecorded(order),
  status: order.status,
  paid: isPaid(order),
  subtotal_amount: order.subtotal_amount,
  discount_amount: order.discount_amount,
  net_amount: order.net_amount,
  tax_amount: order.tax_amount,
  total_amount: order.total_amount,
  applied_balance_amount: order.applied_balance_amount,
  due_amount: order.due_amount,
  refunded_amount: order.refunded_amount,
  refunded_tax_amount: order.refunded_tax_amount,
  currency: order.currency,
  billing_reason: order.billing_reason,
  billing_name: order.billing_name,
  billing_address: order.billing_address,
  invoice_number: order.invoice_number,
  is_invoice_generated: order.is_invoice_generated,
  receipt_number: order.receipt_number,
  seats: order.seats,
  customer_id: order.customer_id,
  product_id: order.product_id,
  discount_id: order.discount_id,
  subscription_id: order.subscription_id,
  checkout_id: order.checkout_id,
  next_payment_attempt_at: iso(order.next_payment_attempt_at),
});

const presentTail = ({ order, items }: OrderView) => ({
  items: items.map((item) => ({
    ...presentRecorded(item),
    label: item.label,
    amount: item.amount,
    tax_amount: item.tax_amount,
    proration: item.proration,
    product_price_id: item.product_price_id,
  })),
  description: order.description,
  refundable_amount: refundableAmount(order),
  refundable_tax_amount: refundableTax(order),
});

export const presentOrder = (view: OrderView): OrderWire =>
  ({
    ...presentHead(view.order),
    metadata: view.order.metadata,
    custom_field_data: view.order.custom_field_data,
    platform_fee_amount: view.order.platform_fee_amount,
    platform_fee_currency: view.order.platform_fee_currency,
    customer: presentCustomer(view.customer),
    product: view.product && presentOrderProduct(view.product),
    discount: null,
    subscription: view.subscription && {
      metadata: view.subscription.metadata,
      ...presentSubscriptionBase(view.subscription),
    },
    ...presentTail(view),
  }) as OrderWire;

/** When and for what an order came about, for other services. */
export const presentOccasion = ({
  id,
  created_at,
  billing_reason,
}: Pick<Order, 'id' | 'created_at' | 'billing_reason'>) => ({
  id,
  created_at: created_at.toISOString(),
  billing_reason,
});

/** The order as its customer sees it in the portal. */
export const presentPortalOrder = (view: OrderView, organization: OrganizationCopy): CustomerOrderWire =>
  ({
    ...presentHead(view.order),
    product: view.product && {
      ...presentCheckoutProduct(view.product),
      organization: presentPortalOrganization(organization),
    },
    subscription: view.subscription && presentSubscriptionBase(view.subscription),
    ...presentTail(view),
  }) as CustomerOrderWire;
