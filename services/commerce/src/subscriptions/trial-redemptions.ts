import { newId } from '@tributary/proto/id.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';

/** SQL of the trials that were started: who had one, by the address and the card they used. */
export const TRIAL_REDEMPTIONS_TABLE = `
  create table trial_redemptions (
    id uuid primary key,
    created_at timestamptz not null,
    organization_id uuid not null,
    customer_id uuid not null,
    product_id uuid not null,
    email text,
    fingerprint text
  );
  create index trial_redemptions_email on trial_redemptions (organization_id, email);
  create index trial_redemptions_fingerprint on trial_redemptions (organization_id, fingerprint);
`;

export interface TrialRedemption {
  organization_id: string;
  customer_id: string;
  product_id: string;
  email: string | null;
  fingerprint: string | null;
}

/** The address with its `+alias` taken out, in lower case: one mailbox, one trial. */
export const mailboxOf = (email: string): string => email.toLowerCase().replace(/\+[^@]*(?=@)/, '');

export async function recordTrial(tx: Tx, redemption: TrialRedemption, now: Date): Promise<void> {
  const { organization_id, customer_id, product_id, email, fingerprint } = redemption;
  await tx.query(
    `insert into trial_redemptions (id, created_at, organization_id, customer_id, product_id, email, fingerprint)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [newId(), now, organization_id, customer_id, product_id, email && mailboxOf(email), fingerprint],
  );
}

/** Whether this mailbox or this card had a trial from the organization before. */
export async function hadTrial(
  reader: Pick<Reader, 'query'>,
  organizationId: string,
  buyer: { email: string | null; fingerprint: string | null },
): Promise<boolean> {
  const rows: unknown[] = await reader.query(
    `select 1 from trial_redemptions where organization_id = $1 and email = $2
     union all
     select 1 from trial_redemptions where organization_id = $1 and fingerprint = $3
     limit 1`,
    [organizationId, buyer.email && mailboxOf(buyer.email), buyer.fingerprint],
  );
  return rows.length > 0;
}

/** Takes the address out; the card still tells that a trial was had. */
export async function forgetTrialsOf(tx: Pick<Tx, 'query'>, customerId: string): Promise<void> {
  await tx.query('update trial_redemptions set email = null where customer_id = $1', [customerId]);
}
