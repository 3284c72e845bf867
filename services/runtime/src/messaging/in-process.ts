import type { Message, Subscription, Transport } from './message.ts';

/**
 * The transport of the embedded start: hands outbox rows straight to the consumers in this process. `publish`
 * resolves when every subscriber has committed, so a row leaves the outbox only then; what fails is published again
 * by the relay and the inbox drops repeats.
 */
export function inProcessTransport(): Transport & { open(): void } {
  const subscriptions: Subscription[] = [];
  const opened = Promise.withResolvers<void>();
  return {
    /** Lets messages flow; to be called once every service has subscribed, or a row could leave unseen. */
    open: opened.resolve,
    async publish(messages) {
      await opened.promise;
      await Promise.all(subscriptions.map((subscription) => hand(subscription, messages)));
    },
    async subscribe(subscription) {
      subscriptions.push(subscription);
    },
    async ready() {},
    async stop() {
      subscriptions.length = 0;
    },
  };
}

async function hand(subscription: Subscription, messages: readonly Message[]): Promise<void> {
  const wanted = messages.filter((message) => subscription.topics.includes(message.topic));
  if (wanted.length > 0) await subscription.deliver(wanted);
}
