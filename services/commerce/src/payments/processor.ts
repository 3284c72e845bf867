/** A saved card, as it may be shown. */
export interface CardDetails {
  brand: string;
  last4: string;
  exp_month: number;
  exp_year: number;
  wallet: string | null;
}

/** A way to pay that the processor keeps for later charges. */
export interface SavedMethod {
  /** The processor's name for it. */
  id: string;
  type: 'card';
  card: CardDetails;
  /** The same for the same card, whoever uses it. */
  fingerprint: string;
}

export interface Decline {
  /** Machine-readable, such as `insufficient_funds`. */
  reason: string;
  /** For people. */
  message: string;
  /** Trying the same card again cannot succeed. */
  isHard: boolean;
}

/** What became of an intent: a charge, or the saving of a card without one. */
export type Outcome =
  | { status: 'succeeded'; intentId: string; method: SavedMethod }
  /** The buyer has to prove who they are; the browser continues with the secret. */
  | { status: 'requires_action'; intentId: string; clientSecret: string }
  | { status: 'failed'; intentId: string; decline: Decline; method: SavedMethod | null };

/** Money to take: `amount` in minor units, 0 to only save the card. */
export interface Sum {
  amount: number;
  currency: string;
}

/**
 * The company that moves the money. Every call names a key; a call repeated under its key, also after a crash of
 * either side, has the effect and the answer of the first. An unreachable processor rejects.
 */
export interface PaymentProcessor {
  /** Charges what stands behind a one-time token of the buyer's browser, and saves it for later. */
  confirm(key: string, token: string, sum: Sum): Promise<Outcome>;
  /** Charges a saved method while its owner is away. */
  charge(key: string, methodId: string, sum: Sum): Promise<Outcome>;
  /** How the intent under a key stands; undefined if there is none. */
  read(key: string): Promise<Outcome | undefined>;
  /** The key an intent was made under; undefined if there is no such intent. */
  keyOf(intentId: string): Promise<string | undefined>;
  /** Gives up an intent that still waits for its buyer; afterwards it cannot succeed. */
  cancel(key: string): Promise<void>;
}

/** The processors' name on the wire. The contract knows one; the sandbox stands in for it. */
export const PROCESSOR = 'stripe';
