import type { App } from './app.ts';
import { startDispatcher } from './dispatcher.ts';
import { claimEmails, sendEmail } from './emails/send-email.flow.ts';
import { EMAILS_CHANNEL } from './emails/store.ts';
import { listen } from './listen.ts';
import { claimWebhookEvents, deliverWebhookEvent } from './webhook-events/deliver-webhook-event.flow.ts';
import { EVENTS_CHANNEL } from './webhook-events/store.ts';

const WEBHOOKS_AT_ONCE = 100;
const EMAILS_AT_ONCE = 5;

/** Starts sending what is queued: at once when a commit queues something, and whatever becomes due by time. */
export function startDispatchers(app: App, databaseUrl: string): { stop(): Promise<void> } {
  const { log } = app;
  const webhooks = startDispatcher({
    name: 'webhooks',
    claim: (limit) => claimWebhookEvents(app, limit),
    work: (dispatch, stopping) => deliverWebhookEvent(app, dispatch, stopping),
    atOnce: WEBHOOKS_AT_ONCE,
    log,
  });
  const emails = startDispatcher({
    name: 'emails',
    claim: (limit) => claimEmails(app, limit),
    work: (email) => sendEmail(app, email),
    atOnce: EMAILS_AT_ONCE,
    log,
  });
  const wakes = { [EVENTS_CHANNEL]: webhooks.wake, [EMAILS_CHANNEL]: emails.wake };
  const stopListening = listen(databaseUrl, wakes, log);
  return {
    async stop() {
      await stopListening();
      await Promise.all([webhooks.stop(), emails.stop()]);
    },
  };
}
