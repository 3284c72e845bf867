import { type Message, type Subscription, type Transport, TransportClosed } from './message.ts';

/**
 * The transport of the embedded start: hands outbox rows straight to the consumers in this process. `publish`
 * resolves when every subscriber has committed, so a row leaves the outbox only then; what fails is published again
 * by the relay and the inbox drops repeats.
 */
export function inProcessTransport(): Transport & { open(): void } {
  const subscriptions: Subscription[] = [];
  const underWay = new Set<Promise<unknown>>();
  const opened = Promise.withResolvers<void>();
  let isClosed = false;
  return {
    /** Lets messages flow; to be called once every service has subscribed, or a row could leave unseen. */
    open: opened.resolve,
    async publish(messages) {
      await opened.promise;
      if (isClosed) throw new TransportClosed();
      const handing = Promise.all(subscriptions.map((subscription) => hand(subscription, messages)));
      underWay.add(handing);
      await handing.finally(() => underWay.delete(handing));
    },
    async subscribe(subscription) {
      subscriptions.push(subscription);
    },
    async ready() {},
    async stop() {
      isClosed = true;
      opened.resolve();
      await Promise.allSettled(underWay);
    },
  };
}

async function hand(subscription: Subscription, messages: readonly Message[]): Promise<void> {
  const wanted = messages.filter((message) => subscription.topics.includes(message.topic));
  if (wanted.length > 0) await subscription.deliver(wanted);
}
