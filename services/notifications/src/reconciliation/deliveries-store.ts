import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf } from '@tributary/runtime/reconciliation/parts.ts';

/** A claim is given up after a minute, so whatever was due that long ago has been forgotten. */
const FORGOTTEN = `span.before - interval '2 minutes'`;

/** An event's own word against its attempts; that each endpoint hears of a message once, the database sees to. */
export const deliveryParts: readonly Part[] = [
  noneOf(
    'webhooks: said to have come through without an attempt that did',
    `select event.id from span, webhook_events event
     where event.succeeded and event.created_at >= span.since
       and not exists (select from webhook_deliveries where event_id = event.id and succeeded)`,
  ),
  /** Only a redelivery that was asked for makes an event pending again after it came through. */
  noneOf(
    'webhooks: came through and said to have failed',
    `select event.id from span, webhook_events event
     where event.succeeded is false and event.created_at >= span.since
       and (select attempt.succeeded from webhook_deliveries attempt
            where attempt.event_id = event.id order by attempt.created_at desc, attempt.id desc limit 1)`,
  ),
  noneOf(
    'webhooks: neither done nor pending',
    `select event.id from span, webhook_events event
     where event.succeeded is null and not event.skipped and event.due_at is null and event.created_at >= span.since`,
  ),
  noneOf(
    'webhooks: due and forgotten',
    `select event.id from span, webhook_events event where event.due_at < ${FORGOTTEN}`,
  ),
  noneOf(
    'webhooks: pending without a body',
    `select event.id from webhook_events event
     where event.due_at is not null and not exists (
       select from webhook_bodies body where body.message_id = event.message_id and body.format = event.format)`,
  ),
  noneOf(
    'mails: due and forgotten',
    `select mail.id from span, emails mail where mail.due_at < ${FORGOTTEN}`,
  ),
  noneOf(
    'mails: neither done nor pending',
    `select mail.id from span, emails mail
     where mail.created_at >= span.since
       and (mail.status = 'sent' and mail.sent_at is null or (mail.status = 'pending') <> (mail.due_at is not null))`,
  ),
];
