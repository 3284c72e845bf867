import type { Mail } from './mailer.ts';

/** A mail as nodemailer takes it. Nothing in it may make nodemailer read a file or fetch an address. */
export const toMessage = (mail: Mail, from: string) => ({
  from,
  to: { name: '', address: mail.to },
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  messageId: `<${mail.message_id}>`,
  headers: { 'Auto-Submitted': 'auto-generated' },
  disableFileAccess: true,
  disableUrlAccess: true,
});
