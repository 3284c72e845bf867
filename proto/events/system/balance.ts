import { z } from 'zod';
import { Currency, Instant, MinorUnits } from '../fields.ts';

/** Amount as the buyer's bank saw it, which may be another currency than the settlement's. */
const presentment = { presentment_amount: MinorUnits, presentment_currency: Currency };

const sale = { product_id: z.string().optional(), subscription_id: z.string().optional() };

const taxAndFee = {
  tax_amount: MinorUnits,
  tax_state: z.string().nullable().optional(),
  tax_country: z.string().nullable().optional(),
  fee: MinorUnits,
  exchange_rate: z.number().optional().meta({ description: 'Settlement units for one presentment unit' }),
};

const movement = { amount: MinorUnits, currency: Currency, ...presentment };

const returned = {
  order_id: z.string().optional(),
  order_created_at: Instant.optional(),
  ...sale,
  ...movement,
};

const BalanceRefundMetadata = z
  .object({
    transaction_id: z.string(),
    refund_id: z.string(),
    ...returned,
    refundable_amount: MinorUnits.optional(),
    ...taxAndFee,
  })
  .meta({
    id: 'BalanceRefundMetadata',
    description: 'Amounts are negative for the refund, positive for its reversal',
  });

const BalanceDisputeMetadata = z
  .object({ transaction_id: z.string(), dispute_id: z.string(), ...returned, ...taxAndFee })
  .meta({
    id: 'BalanceDisputeMetadata',
    description: 'Amounts are negative for the dispute, positive for its reversal',
  });

/** Movements of the organization's balance, read off the ledger. */
export const balanceEvents = {
  'balance.order': z
    .object({
      transaction_id: z.string(),
      order_id: z.string(),
      ...sale,
      net_amount: MinorUnits.optional(),
      ...movement,
      ...taxAndFee,
    })
    .meta({ id: 'BalanceOrderMetadata' }),
  'balance.credit_order': z
    .object({ order_id: z.string(), ...sale, amount: MinorUnits, currency: Currency, ...taxAndFee })
    .meta({ id: 'BalanceCreditOrderMetadata', description: "An order paid from the customer's credit" }),
  'balance.refund': BalanceRefundMetadata,
  'balance.refund_reversal': BalanceRefundMetadata,
  'balance.dispute': BalanceDisputeMetadata,
  'balance.dispute_reversal': BalanceDisputeMetadata,
};

/** An order paid from credit has no ledger transaction with the processor, so its order stands in. */
export const balanceSubject = ['transaction_id', 'order_id'] as const;
