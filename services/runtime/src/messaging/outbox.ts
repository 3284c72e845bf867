import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import type { Tx } from '../db/transaction.ts';
import { currentTraceparent } from '../telemetry.ts';
import { OUTBOX_CHANNEL } from './tables.ts';

/**
 * Writes messages to the outbox in the transaction of the state change they tell of: both happen or neither does.
 * Call it after the aggregate's row is locked; per-key order is then the commit order.
 */
export async function emit(tx: Pick<Tx, 'query'>, messages: readonly OutgoingMessage[]): Promise<void> {
  if (messages.length === 0) return;
  const traceparent = currentTraceparent();
  await tx.query(
    `with written as (
       insert into outbox (id, topic, key, type, subject, value, traceparent)
       select id, topic, key, type, subject, value, $2
       from rows from (
         jsonb_to_recordset($1::jsonb) as (id uuid, topic text, key text, type text, subject text, value jsonb)
       ) with ordinality as message(id, topic, key, type, subject, value, place)
       order by place
     )
     select pg_notify('${OUTBOX_CHANNEL}', '')`,
    [JSON.stringify(messages), traceparent],
  );
}
