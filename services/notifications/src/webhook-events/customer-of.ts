import type { WebhookEventValue } from '@tributary/proto/events/webhook-events.ts';
import { Id } from '@tributary/runtime/http/wire.ts';

/** The customer an event is about, so that its body can be found when that customer's personal data must go. */
export function customerOf({ type, data }: WebhookEventValue): string | null {
  const customer = data.customer as { id?: unknown } | null | undefined;
  const candidate = type.startsWith('customer.') ? data.id : (data.customer_id ?? customer?.id);
  return Id.safeParse(candidate).data ?? null;
}
