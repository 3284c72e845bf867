import { z } from 'zod';
import type { Letter } from './letter.ts';

const words = z.string().max(1_000).nullish();
const instant = z.iso.datetime({ offset: true }).nullish();
/** Only a web address becomes a link. */
const link = z
  .string()
  .max(2_083)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), { error: 'expected a web address' });

/** What templates may fill in. Each uses what it needs and does without what is absent. */
export const EmailData = z.object({
  organization_name: words,
  customer_name: words,
  product_name: words,
  billing_name: words,
  /** Money as people read it, such as `$10.00`. */
  amount: words,
  invoice_number: words,
  recurring_interval: words,
  recurring_interval_count: z.int().positive().nullish(),
  current_period_end: instant,
  ends_at: instant,
  resumes_at: instant,
  expires_at: instant,
  expires_in_minutes: z.int().positive().nullish(),
  card: words,
  code: z.string().max(64).nullish(),
  claim_url: link.nullish(),
  verify_url: link.nullish(),
  invitation_url: link.nullish(),
  portal_url: link.nullish(),
  inviter_name: words,
  endpoint_name: words,
  endpoint_url: z.string().max(2_083).nullish(),
});
export type EmailData = z.output<typeof EmailData>;

type Facts = Letter['facts'] & object;
type Write = (data: EmailData) => Omit<Letter, 'from'>;

const product = (data: EmailData) => data.product_name ?? 'your subscription';
const seller = (data: EmailData) => data.organization_name ?? 'us';

const days = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });
const day = (iso: string | null | undefined) => (iso ? days.format(new Date(iso)) : undefined);

const factsOf = (...pairs: [name: string, value: string | null | undefined][]): Facts =>
  pairs.flatMap(([name, value]) => (value ? [[name, value] as const] : []));

const price = ({ amount, recurring_interval, recurring_interval_count }: EmailData) => {
  if (!amount || !recurring_interval) return amount;
  const count = recurring_interval_count ?? 1;
  return count === 1
    ? `${amount} a ${recurring_interval}`
    : `${amount} every ${count} ${recurring_interval}s`;
};

const purchase = (data: EmailData): Facts =>
  factsOf(['Product', data.product_name], ['Amount', price(data)], ['Invoice', data.invoice_number]);

const portal = (data: EmailData) =>
  data.portal_url ? { action: { label: 'Open your account', url: data.portal_url } } : {};

/** A mail about a subscription: what happened, what it costs, what comes next. */
const aboutSubscription =
  (
    subject: (data: EmailData) => string,
    news: (data: EmailData) => string,
    next?: (data: EmailData) => Facts,
  ): Write =>
  (data) => ({
    subject: subject(data),
    lines: [news(data)],
    facts: [...purchase(data), ...(next?.(data) ?? [])],
    ...portal(data),
  });

const renewal = (data: EmailData) => factsOf(['Next renewal', day(data.current_period_end)]);
const validity = ({ expires_at, expires_in_minutes }: EmailData): string[] => {
  if (expires_in_minutes) return [`It is valid for ${expires_in_minutes} minutes.`];
  return expires_at ? [`It is valid until ${day(expires_at)}.`] : [];
};

const code =
  (subject: string): Write =>
  (data) => ({
    subject: `${data.code ?? ''} ${subject}`.trim(),
    lines: [
      'Enter this code where you were asked for it. If you did not ask for it, you can ignore this mail.',
      ...validity(data),
    ],
    code: data.code ?? undefined,
  });

/** Every mail that can be ordered, by the name of its template. */
export const templates: Readonly<Record<string, Write>> = {
  order_confirmation: (data) => ({
    subject: `Your order from ${seller(data)}`,
    lines: [`Thank you for your order${data.product_name ? ` of ${data.product_name}` : ''}.`],
    facts: purchase(data),
    ...portal(data),
  }),
  subscription_confirmation: aboutSubscription(
    (data) => `Your subscription to ${product(data)}`,
    (data) => `Thank you for subscribing to ${product(data)}.`,
    renewal,
  ),
  subscription_cycled: aboutSubscription(
    (data) => `Your subscription to ${product(data)} was renewed`,
    (data) => `Your subscription to ${product(data)} has been renewed.`,
    renewal,
  ),
  subscription_cycled_after_trial: aboutSubscription(
    (data) => `Your trial of ${product(data)} has ended`,
    (data) => `Your trial has ended and your subscription to ${product(data)} has begun.`,
    renewal,
  ),
  subscription_trial_conversion_reminder: aboutSubscription(
    (data) => `Your trial of ${product(data)} ends soon`,
    (data) => `Your trial of ${product(data)} ends soon; your subscription then begins.`,
    (data) => factsOf(['Trial ends', day(data.current_period_end)]),
  ),
  subscription_renewal_reminder: aboutSubscription(
    (data) => `Your subscription to ${product(data)} renews soon`,
    (data) => `Your subscription to ${product(data)} will be renewed soon.`,
    renewal,
  ),
  subscription_past_due: aboutSubscription(
    (data) => `A payment for ${product(data)} failed`,
    (data) =>
      `We could not collect the payment for ${product(data)}. Please check your payment method; we will try again.`,
  ),
  subscription_cancellation: aboutSubscription(
    (data) => `Your subscription to ${product(data)} is canceled`,
    (data) => `Your subscription to ${product(data)} has been canceled and will not be renewed.`,
    (data) => factsOf(['Access until', day(data.ends_at ?? data.current_period_end)]),
  ),
  subscription_uncanceled: aboutSubscription(
    (data) => `Your subscription to ${product(data)} continues`,
    (data) => `Your subscription to ${product(data)} is no longer canceled.`,
    renewal,
  ),
  subscription_revoked: aboutSubscription(
    (data) => `Your subscription to ${product(data)} has ended`,
    (data) => `Your subscription to ${product(data)} has ended, and with it your access.`,
  ),
  subscription_paused: aboutSubscription(
    (data) => `Your subscription to ${product(data)} is paused`,
    (data) => `Your subscription to ${product(data)} is paused; nothing is charged meanwhile.`,
    (data) => factsOf(['Resumes', day(data.resumes_at)]),
  ),
  subscription_resumed: aboutSubscription(
    (data) => `Your subscription to ${product(data)} has resumed`,
    (data) => `Your subscription to ${product(data)} has resumed.`,
    renewal,
  ),
  subscription_updated: aboutSubscription(
    (data) => `Your subscription to ${product(data)} has changed`,
    (data) => `Your subscription to ${product(data)} has been changed.`,
    renewal,
  ),
  payment_method_expiration_reminder: (data) => ({
    subject: 'Your card expires soon',
    lines: ['A card you pay with expires soon. Please add another one so that your subscriptions continue.'],
    facts: factsOf(['Card', data.card], ['Expires', day(data.expires_at)]),
    ...portal(data),
  }),
  seat_invitation: (data) => ({
    subject: `You have a seat on ${product(data)}`,
    lines: [
      `${data.billing_name ?? 'Somebody'} has invited you to use ${product(data)} by ${seller(data)}.`,
      ...validity(data),
    ],
    ...(data.claim_url ? { action: { label: 'Accept the invitation', url: data.claim_url } } : {}),
  }),
  login_code: code('is your code to log in'),
  customer_login_code: code('is your code to log in'),
  email_update: (data) => ({
    subject: 'Confirm your new e-mail address',
    lines: ['Please confirm that this is your new e-mail address.', ...validity(data)],
    ...(data.verify_url ? { action: { label: 'Confirm', url: data.verify_url } } : {}),
  }),
  organization_invitation: (data) => ({
    subject: `You are invited to ${data.organization_name ?? 'an organization'}`,
    lines: [
      `${data.inviter_name ?? 'Somebody'} has invited you to ${data.organization_name ?? 'their organization'}.`,
    ],
    ...(data.invitation_url ? { action: { label: 'Accept the invitation', url: data.invitation_url } } : {}),
  }),
  webhook_endpoint_disabled: (data) => ({
    subject: 'A webhook endpoint was switched off',
    lines: [
      'Ten events in a row could not be delivered to this webhook endpoint, so it was switched off. ' +
        'What was waiting for it was skipped and can be sent again once it is switched on.',
    ],
    facts: factsOf(['Endpoint', data.endpoint_name], ['Address', data.endpoint_url]),
  }),
};
