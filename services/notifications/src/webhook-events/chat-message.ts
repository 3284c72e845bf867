import type { WebhookEventType, WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import { formatMoney, isPresentmentCurrency } from '@tributary/runtime/money.ts';

/** A webhook event as a person reads it in a chat. */
export interface ChatMessage {
  title: string;
  facts: { name: string; value: string }[];
}

/** Kinds that are news to people; the others are for machines. */
const titles: Partial<Record<WebhookEventType, string>> = {
  'customer.created': 'New customer',
  'order.created': 'New order',
  'order.paid': 'Order paid',
  'order.refunded': 'Order refunded',
  'refund.created': 'Refund issued',
  'subscription.created': 'New subscription',
  'subscription.active': 'Subscription active',
  'subscription.canceled': 'Subscription canceled',
  'subscription.uncanceled': 'Subscription no longer canceled',
  'subscription.past_due': 'Subscription payment failed',
  'subscription.paused': 'Subscription paused',
  'subscription.resumed': 'Subscription resumed',
  'subscription.revoked': 'Subscription ended',
};

const MAX_VALUE = 500;
type Data = Readonly<Record<string, unknown>>;

/** The message about an event; null for kinds that are no news. */
export function chatMessageOf({ type, data }: WebhookEventValue): ChatMessage | null {
  const title = titles[type];
  if (title === undefined) return null;
  const facts = [
    ['Customer', nameOf(type === 'customer.created' ? data : data.customer)],
    ['Product', nameOf(data.product)],
    ['Amount', amountOf(data)],
    ['Invoice', textOf(data.invoice_number)],
    ['Reason', textOf(data.customer_cancellation_reason ?? data.reason)],
    ['Comment', textOf(data.customer_cancellation_comment ?? data.comment)],
  ] as const;
  return {
    title,
    facts: facts.flatMap(([name, value]) => (value ? [{ name, value: value.slice(0, MAX_VALUE) }] : [])),
  };
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

function nameOf(record: unknown): string | undefined {
  if (typeof record !== 'object' || record === null) return undefined;
  const { name, email } = record as Data;
  const [first, second] = [textOf(name), textOf(email)];
  return first && second ? `${first} (${second})` : (first ?? second);
}

function amountOf(data: Data): string | undefined {
  const amount = data.total_amount ?? data.amount;
  const { currency } = data;
  if (!Number.isSafeInteger(amount) || typeof currency !== 'string' || !isPresentmentCurrency(currency))
    return undefined;
  return formatMoney(amount as number, currency);
}

/** Discord's markdown, as text: https://support.discord.com/hc/en-us/articles/210298617 */
const discordText = (text: string) =>
  text.replaceAll(/[\\*_~`|>#[\]()<@:-]/g, (character) => `\\${character}`);

/** https://discord.com/developers/docs/resources/webhook#execute-webhook; nobody is mentioned whatever a name says. */
export const toDiscord = ({ title, facts }: ChatMessage, timestamp: string) => ({
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title,
      timestamp,
      fields: facts.map(({ name, value }) => ({ name, value: discordText(value), inline: true })),
    },
  ],
});

const SLACK_ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const slackText = (text: string) => text.replaceAll(/[&<>]/g, (character) => SLACK_ENTITIES[character]!);

/** https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks */
export const toSlack = ({ title, facts }: ChatMessage) => ({
  text: title,
  blocks: [
    { type: 'header', text: { type: 'plain_text', text: title } },
    ...(facts.length === 0
      ? []
      : [
          {
            type: 'section',
            fields: facts.map(({ name, value }) => ({
              type: 'mrkdwn',
              text: `*${name}*\n${slackText(value)}`,
            })),
          },
        ]),
  ],
});
