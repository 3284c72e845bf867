import { bigint, json, nullable, recorded, text, uuid } from '@tributary/runtime/db/columns.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { EntitySchema } from 'typeorm';
import type { Payment } from './payment.ts';

export const payments = new EntitySchema<Payment>({
  name: 'payments',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: nullable(uuid),
    customer_email: nullable(text),
    checkout_id: nullable(uuid),
    order_id: nullable(uuid),
    processor: text,
    processor_id: text,
    status: text,
    amount: bigint,
    currency: text,
    method: text,
    method_metadata: json,
    trigger: nullable(text),
    decline_reason: nullable(text),
    decline_message: nullable(text),
  },
});

/** Keeps an attempt; the same attempt told twice is kept once. */
export async function insertPayment(tx: Tx, payment: Payment): Promise<void> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(payments)
    .values(payment as never)
    .orIgnore()
    .execute();
}

/** Takes the person out of a customer's payments. */
export async function forgetPaymentsOf(tx: Tx, customerId: string): Promise<void> {
  await tx.getRepository(payments).update({ customer_id: customerId }, { customer_email: null });
}
