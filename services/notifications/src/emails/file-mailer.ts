import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import MailComposer from 'nodemailer/lib/mail-composer';
import type { Mail, Mailer } from './mailer.ts';
import { toMessage } from './message.ts';

/**
 * A mailer that writes each mail into a folder as `<message id>.eml`, for machines without a mail server. The same mail
 * sent twice is the same file.
 */
export function fileMailer(directory: string, from: string): Mailer {
  const fileOf = (messageId: string) => join(directory, `${messageId.split('@')[0]}.eml`);
  return {
    async send(mail: Mail) {
      await mkdir(directory, { recursive: true });
      const file = fileOf(mail.message_id);
      const bytes = await new MailComposer(toMessage(mail, from)).compile().build();
      await writeFile(`${file}.part`, bytes);
      await rename(`${file}.part`, file);
    },
    async forget(messageIds) {
      for (const id of messageIds) await rm(fileOf(id), { force: true });
    },
    close() {},
  };
}
