import type { App } from './app.ts';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';
import { listen } from './listen.ts';
import { claimWebhookEvents, deliverWebhookEvent } from './webhook-events/deliver-webhook-event.flow.ts';
import { EVENTS_CHANNEL } from './webhook-events/store.ts';

const WEBHOOKS_AT_ONCE = 32;

/** Starts sending what is queued: at once when a commit queues something, and whatever becomes due by time. */
export function startDispatchers(app: App, databaseUrl: string): { stop(): Promise<void> } {
  const webhooks = startDispatcher({
    name: 'webhooks',
    claim: (limit) => claimWebhookEvents(app, limit),
    work: (dispatch, stopping) => deliverWebhookEvent(app, dispatch, stopping),
    atOnce: WEBHOOKS_AT_ONCE,
    log: app.log,
  });
  const byChannel: Readonly<Record<string, Dispatcher>> = { [EVENTS_CHANNEL]: webhooks };
  const wakes = Object.entries(byChannel).map(([channel, { wake }]) => [channel, wake] as const);
  const stopListening = listen(databaseUrl, Object.fromEntries(wakes), app.log);
  return {
    async stop() {
      await stopListening();
      await Promise.all(Object.values(byChannel).map((dispatcher) => dispatcher.stop()));
    },
  };
}
