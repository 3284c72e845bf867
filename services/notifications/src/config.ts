import {
  ConfigError,
  type ConfigOf,
  grpcPeers,
  type ServiceConfig,
  secret,
  serviceShape,
  text,
} from '@tributary/runtime/config.ts';
import { z } from 'zod';

const flag = z
  .enum(['true', 'false'], { error: 'must be true or false' })
  .transform((value) => value === 'true');

/** What notifications reads besides what every service does. */
const ownShape = {
  ...grpcPeers('identity'),
  /** Lets webhooks go over plain http and to this machine itself. For a sandbox on one machine, nowhere else. */
  WEBHOOK_ALLOW_LOOPBACK: flag.default(false),
  /** Seals the stored webhook secrets; the internal secret when absent. With another value they cannot be read. */
  SEALING_SECRET: secret.optional(),
  /** Outgoing mail: `smtp://user:password@host:port`, or `smtps:`. */
  SMTP_URL: text.regex(/^smtps?:\/\/./, { error: 'must be an smtp:// address' }).optional(),
  /** Outgoing mail as one file each in this folder, instead of SMTP. */
  MAIL_DIRECTORY: text.optional(),
  /** Sender of outgoing mail; no-reply at the host of `PUBLIC_URL` when absent. */
  MAIL_FROM: text.optional(),
} as const;

export const notificationsShape = { ...serviceShape, ...ownShape } as const;

type OwnConfig = ConfigOf<typeof ownShape>;
export type NotificationsConfig = ServiceConfig & Pick<OwnConfig, 'identityGrpc'> & Partial<OwnConfig>;

/** @throws ConfigError in production, where integrators would reach what is inside the platform */
export function mayReachLoopback({
  webhookAllowLoopback = false,
  environment,
}: NotificationsConfig): boolean {
  if (webhookAllowLoopback && environment === 'production')
    throw new ConfigError('configuration: WEBHOOK_ALLOW_LOOPBACK must not be true in production');
  return webhookAllowLoopback;
}
