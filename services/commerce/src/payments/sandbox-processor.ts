import { hash } from 'node:crypto';
import { newId } from '@tributary/proto/id.ts';
import type { Database } from '@tributary/runtime/db/transaction.ts';
import { randomAlphanumerics } from '@tributary/runtime/token.ts';
import type { CardDetails, Decline, Outcome, PaymentProcessor, SavedMethod, Sum } from './processor.ts';

/** How a test card behaves: when it enters, and when it is charged later. */
interface Behavior {
  card: CardDetails;
  /** Refused as soon as it is used. */
  decline?: Decline;
  /** Accepted and saved, refused when charged while its owner is away. */
  laterDecline?: Decline;
  /** Asks for a second step before it pays. */
  hasSecondStep?: boolean;
}

const card = (last4: string, brand = 'visa'): CardDetails => ({
  brand,
  last4,
  exp_month: 12,
  exp_year: 2034,
  wallet: null,
});
const decline = (reason: string, message: string, isHard = false): Decline => ({ reason, message, isHard });

/** Tokens the sandbox takes in place of a real card; the numbers end as those of Stripe's test cards do. */
const behaviors: Readonly<Record<string, Behavior>> = {
  tok_visa: { card: card('4242') },
  tok_declined: { card: card('0002'), decline: decline('card_declined', 'Your card was declined.') },
  tok_insufficient_funds: {
    card: card('9995'),
    decline: decline('insufficient_funds', 'Your card has insufficient funds.'),
  },
  tok_expired: { card: card('0069'), decline: decline('expired_card', 'Your card has expired.', true) },
  tok_3ds: { card: card('3220'), hasSecondStep: true },
  tok_fails_later: {
    card: card('0341'),
    laterDecline: decline('card_declined', 'Your card was declined.'),
  },
  tok_disputed: { card: card('0259') },
};

const UNKNOWN_TOKEN = decline('invalid_token', 'No such payment token.', true);
const NOT_AUTHENTICATED = decline(
  'authentication_required',
  'We are unable to authenticate your payment method.',
);

/** A token is any text a buyer sends, so also the name of something every object has. */
const behaviorOf = (token: string): Behavior | undefined =>
  Object.hasOwn(behaviors, token) ? behaviors[token] : undefined;

/** SQL of what the sandbox remembers: it plays another company, so nothing else reads these tables. */
export const SANDBOX_TABLES = `
  create table sandbox_methods (
    id text primary key,
    token text not null,
    created_at timestamptz not null default now()
  );
  create table sandbox_intents (
    key text primary key,
    id text not null unique,
    client_secret text not null unique,
    token text not null,
    method_id text references sandbox_methods,
    amount bigint not null,
    currency text not null,
    status text not null,
    decline jsonb,
    created_at timestamptz not null default now()
  );
`;

interface IntentRow {
  id: string;
  client_secret: string;
  token: string;
  method_id: string | null;
  status: 'succeeded' | 'requires_action' | 'failed';
  decline: Decline | null;
}

/** How the second step of a payment ended. */
export type SecondStep = 'authenticated' | 'refused';

/** The sandbox, and the second step that a bank's page would take for it. */
export interface SandboxProcessor extends PaymentProcessor {
  /** Ends a waiting intent; returns its key, or undefined when no intent waits under the secret. */
  completeSecondStep(clientSecret: string, step: SecondStep): Promise<string | undefined>;
}

const COLUMNS = 'id, client_secret, token, method_id, status, decline';

/**
 * A payment processor for trying things out: no money moves, and what a card does is told by its token. It remembers
 * intents by key in tables of its own, each call in a transaction of its own, as a processor elsewhere would.
 */
export function sandboxProcessor(db: Database): SandboxProcessor {
  async function open(key: string, token: string, methodId: string | null, sum: Sum, isLater: boolean) {
    const status = statusOf(token, isLater);
    const id = `pi_${randomAlphanumerics(24)}`;
    const saved = methodId ?? (status.status === 'succeeded' ? await saveMethod(token) : null);
    const inserted: IntentRow[] = await db.query(
      `insert into sandbox_intents (key, id, client_secret, token, method_id, amount, currency, status, decline)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (key) do nothing returning ${COLUMNS}`,
      [
        key,
        id,
        `${id}_secret_${randomAlphanumerics(24)}`,
        token,
        saved,
        sum.amount,
        sum.currency,
        status.status,
        status.decline ? JSON.stringify(status.decline) : null,
      ],
    );
    return toOutcome(inserted[0] ?? (await find(key))!);
  }

  async function find(key: string): Promise<IntentRow | undefined> {
    const rows: IntentRow[] = await db.query(`select ${COLUMNS} from sandbox_intents where key = $1`, [key]);
    return rows[0];
  }

  async function saveMethod(token: string): Promise<string> {
    const id = `pm_${newId().replaceAll('-', '')}`;
    await db.query('insert into sandbox_methods (id, token) values ($1, $2)', [id, token]);
    return id;
  }

  async function tokenOf(methodId: string): Promise<string> {
    const rows: { token: string }[] = await db.query('select token from sandbox_methods where id = $1', [
      methodId,
    ]);
    return rows[0]?.token ?? '';
  }

  return {
    async confirm(key, token, sum) {
      const known = await find(key);
      return known ? toOutcome(known) : open(key, token, null, sum, false);
    },
    async charge(key, methodId, sum) {
      const known = await find(key);
      return known ? toOutcome(known) : open(key, await tokenOf(methodId), methodId, sum, true);
    },
    async read(key) {
      const known = await find(key);
      return known && toOutcome(known);
    },
    async keyOf(intentId) {
      const rows: { key: string }[] = await db.query('select key from sandbox_intents where id = $1', [
        intentId,
      ]);
      return rows[0]?.key;
    },
    async cancel(key) {
      await db.query(
        `update sandbox_intents set status = 'failed', decline = $2 where key = $1 and status = 'requires_action'`,
        [key, JSON.stringify(NOT_AUTHENTICATED)],
      );
    },
    async completeSecondStep(clientSecret, step) {
      const waiting: { key: string; token: string }[] = await db.query(
        `select key, token from sandbox_intents where client_secret = $1 and status = 'requires_action'`,
        [clientSecret],
      );
      if (!waiting[0]) return undefined;
      const methodId = step === 'authenticated' ? await saveMethod(waiting[0].token) : null;
      const [ended]: [{ key: string }[], number] = await db.query(
        `update sandbox_intents set status = $2, decline = $3, method_id = $4
         where client_secret = $1 and status = 'requires_action' returning key`,
        [
          clientSecret,
          methodId ? 'succeeded' : 'failed',
          methodId ? null : JSON.stringify(NOT_AUTHENTICATED),
          methodId,
        ],
      );
      return ended[0]?.key;
    },
  };
}

function statusOf(token: string, isLater: boolean): Pick<IntentRow, 'status' | 'decline'> {
  const behavior = behaviorOf(token);
  const refusal =
    behavior === undefined
      ? UNKNOWN_TOKEN
      : (behavior.decline ?? (isLater ? behavior.laterDecline : undefined));
  if (refusal) return { status: 'failed', decline: refusal };
  return { status: behavior?.hasSecondStep && !isLater ? 'requires_action' : 'succeeded', decline: null };
}

function toOutcome(row: IntentRow): Outcome {
  const { id: intentId, status } = row;
  if (status === 'requires_action') return { status, intentId, clientSecret: row.client_secret };
  if (status === 'failed') return { status, intentId, decline: row.decline!, method: methodOf(row) };
  return { status, intentId, method: methodOf(row)! };
}

function methodOf({ method_id, token }: IntentRow): SavedMethod | null {
  const behavior = behaviorOf(token);
  if (method_id === null || !behavior) return null;
  return {
    id: method_id,
    type: 'card',
    card: behavior.card,
    fingerprint: hash('sha256', behavior.card.last4, 'hex').slice(0, 16),
  };
}
