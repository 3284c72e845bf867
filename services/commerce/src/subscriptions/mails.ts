import { emailCommand, type OutgoingMessage } from '@tributary/proto/events/message.ts';
import { iso } from '@tributary/runtime/db/columns.ts';
import { formatMoney } from '@tributary/runtime/money.ts';
import type { Customer } from '../customers/customer.ts';
import type { OrganizationCopy } from '../organizations/organization.ts';
import type { ProductCopy } from '../products/product.ts';
import type { Subscription } from './subscription.ts';

/** Mails about a subscription; each has a switch of the same name in the organization's e-mail settings. */
export type SubscriptionMail =
  | 'subscription_confirmation'
  | 'subscription_cycled'
  | 'subscription_cycled_after_trial'
  | 'subscription_past_due'
  | 'subscription_cancellation'
  | 'subscription_uncanceled'
  | 'subscription_revoked'
  | 'subscription_paused'
  | 'subscription_resumed'
  | 'subscription_updated';

export interface MailParts {
  customer: Customer;
  organization: OrganizationCopy;
  product: ProductCopy;
}

/** The mail to the customer, unless the organization has switched it off or there is nobody to write to. */
export function subscriptionMail(
  template: SubscriptionMail,
  subscription: Subscription,
  { customer, organization, product }: MailParts,
): OutgoingMessage[] {
  const isOff = organization.customer_email_settings[template] === false;
  if (isOff || customer.email === null || customer.deleted_at !== null) return [];
  const data = {
    organization_name: organization.name,
    organization_slug: organization.slug,
    customer_name: customer.name,
    product_name: product.name,
    subscription_id: subscription.id,
    amount: formatMoney(subscription.amount, subscription.currency),
    recurring_interval: subscription.recurring_interval,
    recurring_interval_count: subscription.recurring_interval_count,
    current_period_end: iso(subscription.current_period_end),
    ends_at: iso(subscription.ends_at),
    resumes_at: iso(subscription.resumes_at),
  };
  return [emailCommand({ organization_id: organization.id, to: customer.email, template, data })];
}

/** A renewal has been paid for: the first one after a trial is news of its own. */
export function renewalMail(subscription: Subscription, parts: MailParts): OutgoingMessage[] {
  const isFirst = subscription.trial_end?.getTime() === subscription.current_period_start.getTime();
  return subscriptionMail(
    isFirst ? 'subscription_cycled_after_trial' : 'subscription_cycled',
    subscription,
    parts,
  );
}
