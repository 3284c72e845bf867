import { tokenRevoked } from '@tributary/proto/events/message.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import type { App } from '../app.ts';
import { endUserSessions } from '../user-sessions/store.ts';
import type { UserSession } from '../user-sessions/user-session.ts';

/** Ends the browser's login, and with it the bearer token it may have been used as. */
export async function logOut(app: App, session: UserSession): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const ended = await endUserSessions(tx, session.user_id, { only: session.token_hash });
    await emit(
      tx,
      ended.map((id) => tokenRevoked(id)),
    );
  });
}
