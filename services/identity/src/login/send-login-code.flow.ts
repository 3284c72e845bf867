import { emailCommand } from '@tributary/proto/events/message.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { hashToken } from '@tributary/runtime/token.ts';
import type { App } from '../app.ts';
import { CODE_MINUTES, codeEnd, isSendable, makeCode } from './login-code.ts';
import { lockLoginCode, saveLoginCode } from './store.ts';

/** What is stored in place of a code: a short secret, so the address is part of it. */
export const hashCode = (email: string, code: string, secret: string): string =>
  hashToken(`login ${email.toLowerCase()} ${code}`, secret);

/** Mails a code to an address, once a minute at most; whether somebody has the address is not told. */
export async function sendLoginCode(app: App, email: string, now: Date): Promise<void> {
  const code = makeCode();
  await inTransaction(app.db, async (tx) => {
    if (!isSendable(await lockLoginCode(tx, email), now)) return;
    await saveLoginCode(tx, {
      email,
      code_hash: hashCode(email, code, app.tokenSecret),
      attempts: 0,
      sent_at: now,
      expires_at: codeEnd(now),
    });
    const data = { code, expires_in_minutes: CODE_MINUTES };
    await emit(tx, [emailCommand({ organization_id: null, to: email, template: 'login_code', data })]);
  });
}
