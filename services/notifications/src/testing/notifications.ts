import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import { createLog } from '@tributary/runtime/log.ts';
import { type ResourcesClient, replica } from '@tributary/runtime/replica/replica.ts';
import { type TestClock, testClock } from '@tributary/runtime/testing/clock.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { type ServiceUnderTest, serviceUnderTest } from '@tributary/runtime/testing/service.ts';
import type { App, OrganizationCopy } from '../app.ts';
import { consumers } from '../consumers.ts';
import { entities, migrations } from '../database.ts';
import { fileMailer } from '../emails/file-mailer.ts';
import type { Mailer } from '../emails/mailer.ts';
import { claimEmails, sendEmail } from '../emails/send-email.flow.ts';
import { createOutbound } from '../outbound/outbound.ts';
import { routes } from '../routes.ts';
import { createVault } from '../vault.ts';
import { claimWebhookEvents, deliverWebhookEvent } from '../webhook-events/deliver-webhook-event.flow.ts';

export interface Notifications extends Omit<ServiceUnderTest, 'deliver' | 'stop'> {
  app: App;
  clock: TestClock;
  database: TestDatabase;
  /** Folder of outgoing mail. */
  mail: string;
  /** Delivers a message as another service would have sent it. */
  tell(message: OutgoingMessage): Promise<void>;
  /** Looks once for due webhooks and sends what it finds; returns how many. */
  sendDueWebhooks(): Promise<number>;
  /** Looks once for due mails and sends what it finds; returns how many. */
  sendDueEmails(): Promise<number>;
  stop(): Promise<void>;
}

/** Nobody to ask: what these tests need of other services, the topics have brought. */
const nobody: ResourcesClient = { getResources: async () => ({ resources: [] }) };

/** The service with its routes and consumers; its dispatchers are run by hand, on a clock that stands still. */
export async function notificationsUnderTest(
  options: { allowLoopback?: boolean; mailer?: Mailer } = {},
): Promise<Notifications> {
  const database = await createTestDatabase('notifications', { entities, migrations });
  const clock = testClock();
  const mail = await mkdtemp(join(tmpdir(), 'tributary-mail-'));
  const app: App = {
    db: database.db,
    clock,
    log: createLog({ service: 'notifications', level: 'silent' }),
    organizations: replica<OrganizationCopy>('notifications', 'organizations', nobody),
    vault: createVault(randomBytes(32).toString('hex')),
    outbound: createOutbound(options.allowLoopback ?? true),
    mailer: options.mailer ?? fileMailer(mail, 'Tributary <no-reply@example.com>'),
    random: () => 0.5,
    publicUrl: 'https://example.com',
  };
  const service = await serviceUnderTest({
    service: 'notifications',
    routes,
    consumers: consumers(app),
    app,
    db: database.db,
    now: () => clock.now(),
  });
  return {
    ...service,
    app,
    clock,
    database,
    mail,
    tell: ({ organization_id: _, ...message }) => service.deliver(message),
    async sendDueWebhooks() {
      const { items } = await claimWebhookEvents(app, 100);
      await Promise.all(items.map((item) => deliverWebhookEvent(app, item)));
      return items.length;
    },
    async sendDueEmails() {
      const { items } = await claimEmails(app, 100);
      await Promise.all(items.map((item) => sendEmail(app, item)));
      return items.length;
    },
    async stop() {
      await service.stop();
      await database.drop();
      await rm(mail, { recursive: true });
    },
  };
}
