import { z } from 'zod';
import { RecordId, Timestamp } from './fields.ts';

/** The 41 kinds that a webhook endpoint may ask for (domain rules, section 9). */
export const webhookEventTypes = [
  'checkout.created',
  'checkout.updated',
  'checkout.expired',
  'customer.created',
  'customer.updated',
  'customer.deleted',
  'customer.state_changed',
  'customer_seat.assigned',
  'customer_seat.claimed',
  'customer_seat.revoked',
  'member.created',
  'member.updated',
  'member.deleted',
  'order.created',
  'order.updated',
  'order.paid',
  'order.refunded',
  'subscription.created',
  'subscription.updated',
  'subscription.active',
  'subscription.canceled',
  'subscription.uncanceled',
  'subscription.cycled',
  'subscription.revoked',
  'subscription.past_due',
  'subscription.paused',
  'subscription.resumed',
  'refund.created',
  'refund.updated',
  'product.created',
  'product.updated',
  'discount.created',
  'discount.updated',
  'discount.deleted',
  'benefit.created',
  'benefit.updated',
  'benefit_grant.created',
  'benefit_grant.cycled',
  'benefit_grant.updated',
  'benefit_grant.revoked',
  'organization.updated',
] as const;
export type WebhookEventType = (typeof webhookEventTypes)[number];

/** A webhook event on its topic; `type`, `timestamp` and `data` are the body that endpoints receive. */
export const WebhookEventValue = z.object({
  organization_id: RecordId,
  type: z.enum(webhookEventTypes),
  timestamp: Timestamp.meta({ description: 'When it happened' }),
  data: z.looseObject({}).meta({ description: 'The record as the HTTP API presents it' }),
});
export type WebhookEventValue = z.output<typeof WebhookEventValue>;
