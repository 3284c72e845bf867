import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface ReceivedWebhook {
  id: string;
  type: string;
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has its own data
  data: any;
}

export interface WebhookReceiver {
  url: string;
  /** Deliveries whose signature held, in order of arrival. */
  received: ReceivedWebhook[];
  /** Deliveries whose signature did not hold. */
  refused: number;
  /** Verifies from now on with this endpoint secret. */
  trust(secret: string): void;
  stop(): Promise<void>;
}

/** An integrator's endpoint on loopback that verifies signatures with the public `standardwebhooks` package. */
export async function startWebhookReceiver(
  onReceived: (webhook: ReceivedWebhook) => void = () => undefined,
): Promise<WebhookReceiver> {
  let verifier: Webhook | undefined;
  const receiver: WebhookReceiver = {
    url: '',
    received: [],
    refused: 0,
    trust(secret) {
      verifier = new Webhook(Buffer.from(secret).toString('base64'));
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    try {
      const payload = verifier!.verify(text, request.headers as Record<string, string>) as Omit<
        ReceivedWebhook,
        'id'
      >;
      const webhook = { ...payload, id: String(request.headers['webhook-id']) };
      receiver.received.push(webhook);
      onReceived(webhook);
      response.writeHead(204).end();
    } catch {
      receiver.refused += 1;
      response.writeHead(400).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`;
  return receiver;
}
