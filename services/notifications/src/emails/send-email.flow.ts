import type { App } from '../app.ts';
import type { Claimed } from '../dispatcher.ts';
import { countEmailAttempt } from '../metrics.ts';
import { afterHandover, type Email, type Handover } from './email.ts';
import { renderEmail, Unrenderable } from './render-email.ts';
import { claimDueEmails, isForgotten, settleEmail } from './store.ts';

/** Claims due mails; each must then be given to {@link sendEmail}. */
export async function claimEmails({ db, clock }: App, limit: number): Promise<Claimed<Email>> {
  const items = await claimDueEmails(db, clock.now(), limit);
  return { items, isMoreDue: items.length === limit };
}

/**
 * Hands one mail over and records it. If the process dies in between, the mail is sent once more, under the same
 * Message-ID: a second copy is better than none.
 */
export async function sendEmail(app: App, email: Email): Promise<void> {
  const handover = await handOver(app, email);
  countEmailAttempt(handover.sent);
  if (!handover.sent)
    app.log.warn({ email: email.id, template: email.template, reason: handover.error }, 'mail not sent');
  const settled = afterHandover(email, handover, app.clock.now(), app.random());
  if (await settleEmail(app.db, email.claim_id!, settled)) return;
  // Whoever is to be forgotten may have been while the mail was written.
  if (await isForgotten(app.db, email.id)) await app.mailer.forget([messageIdOf(app, email.id)]);
}

/** The Message-ID of a mail, the same on every attempt. */
export const messageIdOf = ({ publicUrl }: Pick<App, 'publicUrl'>, emailId: string): string =>
  `${emailId}@${new URL(publicUrl).hostname}`;

async function handOver(app: App, email: Email): Promise<Handover> {
  try {
    const rendered = renderEmail(email.template, email.data);
    const message_id = messageIdOf(app, email.id);
    await app.mailer.send({ ...rendered, to: email.recipient!, message_id });
    return { sent: true };
  } catch (error) {
    const isFinal = error instanceof Unrenderable || isRefusedForGood(error);
    return { sent: false, error: error instanceof Error ? error.message : String(error), isFinal };
  }
}

/** A mail server's 5xx: it will not take this mail, however often it is asked (RFC 5321, 4.2.1). */
function isRefusedForGood(error: unknown): boolean {
  const { responseCode } = error as { responseCode?: unknown };
  return typeof responseCode === 'number' && responseCode >= 500;
}
