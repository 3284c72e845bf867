import { isAnonymized } from '@tributary/proto/anonymized.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { forgetRecord } from '@tributary/runtime/forget-record.ts';
import type { CustomerCopy } from '../replicas.ts';

/** What system events about customers say of the person. */
const SCRUBBED = `(metadata - 'updated_fields') || jsonb_build_object('customer_email', $2::text, 'customer_name', $3::text)`;

/** Replaces the personal data in an anonymized customer's own events by what is left of it; takes out what they wrote. */
export async function forgetPerson(tx: Tx, customer: CustomerCopy): Promise<void> {
  if (!isAnonymized(customer)) return;
  await forgetRecord(tx, customer.id);
  await tx.query(
    `update events
     set metadata = ${SCRUBBED}
       || case when metadata ? 'updated_fields' then '{"updated_fields": {}}'::jsonb else '{}'::jsonb end
     where organization_id = $4 and customer_id = $1 and source = 'system'
       and name in ('customer.created', 'customer.updated', 'customer.deleted')`,
    [customer.id, customer.email, customer.name, customer.organization_id],
  );
  await tx.query(
    `update events set metadata = metadata - 'customer_cancellation_comment'
     where organization_id = $2 and customer_id = $1 and source = 'system' and name = 'subscription.canceled'
       and metadata ? 'customer_cancellation_comment'`,
    [customer.id, customer.organization_id],
  );
}
