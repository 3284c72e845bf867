import { createTransport } from 'nodemailer';
import type { Mailer } from './mailer.ts';
import { toMessage } from './message.ts';

const TIMEOUT_MS = 20_000;
const MAX_CONNECTIONS = 5;

/** A mailer over SMTP, with TLS where the server offers it. @param url `smtp://` or `smtps://` */
export function smtpMailer(url: string, from: string): Mailer {
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: MAX_CONNECTIONS,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  });
  return {
    async send(mail) {
      await transport.sendMail(toMessage(mail, from));
    },
    forget: async () => {},
    close: () => transport.close(),
  };
}
