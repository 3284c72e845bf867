import { emailCommand, type OutgoingMessage } from '@tributary/proto/events/message.ts';
import { formatMoney } from '@tributary/runtime/money.ts';
import type { OrderView } from '../orders/present.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import { subscriptionMail } from '../subscriptions/mails.ts';

/** What the buyer is written after a purchase, unless the organization has switched the mail off. */
export function purchaseMail(
  { order, customer, product, subscription }: OrderView,
  organization: OrganizationCopy,
): OutgoingMessage[] {
  if (subscription && product) {
    const isUpgrade = order.billing_reason === 'subscription_update';
    const template = isUpgrade ? 'subscription_updated' : 'subscription_confirmation';
    return subscriptionMail(template, subscription, { customer, organization, product });
  }
  const isOff = organization.customer_email_settings.order_confirmation === false;
  if (isOff || customer.email === null || customer.deleted_at !== null) return [];
  const data = {
    organization_name: organization.name,
    customer_name: customer.name,
    product_name: product?.name,
    amount: formatMoney(order.total_amount, order.currency),
    invoice_number: order.invoice_number,
  };
  return [
    emailCommand({
      organization_id: organization.id,
      to: customer.email,
      template: 'order_confirmation',
      data,
    }),
  ];
}
