import type { WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { recipientHash } from '../emails/email.ts';

/** The customer an event is about, so that its body can be found when that customer's personal data must go. */
export function customerOf({ type, data }: WebhookEventValue): string | null {
  const customer = data.customer as { id?: unknown } | null | undefined;
  const candidate = type.startsWith('customer.') ? data.id : (data.customer_id ?? customer?.id);
  return Id.safeParse(candidate).data ?? null;
}

/** The address, as a hash, of the person that an event without a customer is about: a buyer, or who is given a seat. */
export function addressHashOf(event: WebhookEventValue): string | null {
  if (customerOf(event) !== null) return null;
  const { type, data } = event;
  const address = type.startsWith('checkout.')
    ? data.customer_email
    : type.startsWith('customer_seat.')
      ? data.email
      : null;
  return typeof address === 'string' ? recipientHash(address) : null;
}
