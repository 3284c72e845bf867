import { ConfigError } from '@tributary/runtime/config.ts';
import type { NotificationsConfig } from '../config.ts';
import { fileMailer } from './file-mailer.ts';
import type { Mailer } from './mailer.ts';
import { smtpMailer } from './smtp-mailer.ts';

/** The mailer that the configuration asks for: files or SMTP, never both. @throws ConfigError when it names neither */
export function createMailer(config: NotificationsConfig): Mailer {
  const { mailDirectory, smtpUrl } = config;
  const from = config.mailFrom ?? `Tributary <no-reply@${new URL(config.publicUrl).hostname}>`;
  if (mailDirectory && !smtpUrl) return fileMailer(mailDirectory, from);
  if (smtpUrl && !mailDirectory) return smtpMailer(smtpUrl, from);
  throw new ConfigError('configuration: one of SMTP_URL and MAIL_DIRECTORY is needed, and not both');
}
