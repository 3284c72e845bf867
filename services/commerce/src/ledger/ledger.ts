import { newId } from '@tributary/proto/id.ts';

/**
 * Accounts of the double-entry ledger. An entry above zero is what the account gives, one below zero what it owes or
 * has earned; the entries of a transaction sum to zero per currency.
 */
export const accounts = [
  /** Money that lies with the payment processor. */
  'processor',
  /** What customers have to their credit (below zero) or owe (above zero). */
  'customer_balance',
  /** What organizations have earned. */
  'merchant',
  /** Tax collected for the authorities. */
  'tax',
  /** What the platform keeps for its service. */
  'platform',
] as const;
export type Account = (typeof accounts)[number];

export interface LedgerEntry {
  account: Account;
  currency: string;
  amount: number;
}

export interface LedgerTransaction {
  id: string;
  created_at: Date;
  organization_id: string;
  customer_id: string;
  order_id: string | null;
  payment_id: string | null;
  entries: LedgerEntry[];
}

/** What is known of an order when it is settled; amounts in minor units. */
export interface Settlement {
  total: number;
  tax: number;
  /** By how much the customer's balance moves: below zero where credit is used up or debt is made. */
  balanceChange: number;
  /** Taken by the processor. */
  charged: number;
  /** Kept by the platform. */
  fee: number;
  currency: string;
}

/** The entries that settle an order; an account that does not move has none. */
export function settlementEntries(settlement: Settlement): LedgerEntry[] {
  const { total, tax, balanceChange, charged, fee, currency } = settlement;
  const entries: [Account, number][] = [
    ['processor', charged],
    ['customer_balance', -balanceChange],
    ['tax', -tax],
    ['platform', -fee],
    ['merchant', -(total - tax - fee)],
  ];
  return entries
    .filter(([, amount]) => amount !== 0)
    .map(([account, amount]) => ({ account, currency, amount }));
}

/** @throws RangeError when money would appear or vanish */
export function newTransaction(
  facts: Omit<LedgerTransaction, 'id' | 'created_at'>,
  now: Date,
): LedgerTransaction {
  for (const [currency, sum] of sums(facts.entries)) {
    if (sum !== 0) throw new RangeError(`ledger entries in ${currency} sum to ${sum}`);
  }
  return { id: newId(), created_at: now, ...facts };
}

function sums(entries: readonly LedgerEntry[]): Map<string, number> {
  const byCurrency = new Map<string, number>();
  for (const { currency, amount } of entries)
    byCurrency.set(currency, (byCurrency.get(currency) ?? 0) + amount);
  return byCurrency;
}

/** What a transaction moves on one account. */
export const movementOn = (transaction: LedgerTransaction, account: Account): number =>
  transaction.entries
    .filter((entry) => entry.account === account)
    .reduce((sum, { amount }) => sum + amount, 0) + 0;
