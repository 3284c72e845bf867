import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { SubType } from '../clients/client.ts';
import type { Consent } from './consent.ts';

export async function findConsent(
  db: Pick<Reader, 'query'>,
  key: { client_id: string; user_id: string; sub_type: SubType },
): Promise<Consent | undefined> {
  const rows: Consent[] = await db.query(
    `select client_id, user_id, sub_type, scopes, organization_ids from oauth2_consents
     where client_id = $1 and user_id = $2 and sub_type = $3`,
    [key.client_id, key.user_id, key.sub_type],
  );
  return rows[0];
}

export async function saveConsent(tx: Tx, consent: Consent, now: Date): Promise<void> {
  await tx.query(
    `insert into oauth2_consents (client_id, user_id, sub_type, scopes, organization_ids, granted_at)
     values ($1, $2, $3, $4, $5, $6)
     on conflict (client_id, user_id, sub_type) do update
       set scopes = excluded.scopes, organization_ids = excluded.organization_ids, granted_at = excluded.granted_at`,
    [consent.client_id, consent.user_id, consent.sub_type, consent.scopes, consent.organization_ids, now],
  );
}
