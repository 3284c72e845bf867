import { json, nullable, recorded, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf } from '@tributary/runtime/db/list.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging } from '@tributary/runtime/http/paging.ts';
import { EntitySchema } from 'typeorm';
import type { PaymentMethod } from './payment-method.ts';

export const paymentMethods = new EntitySchema<PaymentMethod>({
  name: 'payment_methods',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: uuid,
    deleted_at: nullable(timestamp),
    processor: text,
    processor_id: text,
    type: text,
    method_metadata: json,
    fingerprint: text,
  },
});

const live = (reader: Reader, customerId: string) =>
  reader
    .getRepository(paymentMethods)
    .createQueryBuilder('method')
    .where('method.deleted_at is null and method.customer_id = :customerId', { customerId });

/** A customer's methods, the newest first. */
export function listPaymentMethods(
  reader: Reader,
  customerId: string,
  paging: Paging,
): Promise<Page<PaymentMethod>> {
  const newestFirst = [{ by: 'created_at' as const, direction: 'DESC' as const }];
  return pageOf(live(reader, customerId), paging, newestFirst, { created_at: 'method.created_at' });
}

/** The customer's method, or null. */
export const findPaymentMethod = (
  reader: Reader,
  customerId: string,
  id: string,
): Promise<PaymentMethod | null> => live(reader, customerId).andWhere('method.id = :id', { id }).getOne();

/** Keeps a method the processor has saved; told twice, it is kept once. Returns the record that is kept. */
export async function keepPaymentMethod(tx: Tx, method: PaymentMethod): Promise<PaymentMethod> {
  await tx
    .createQueryBuilder()
    .insert()
    .into(paymentMethods)
    .values(method as never)
    .orIgnore()
    .execute();
  return live(tx, method.customer_id).andWhere('method.processor_id = :processor_id', method).getOneOrFail();
}

/** The customer's newest method besides one, or null. */
export const newestOtherMethod = (
  tx: Tx,
  customerId: string,
  exceptId: string,
): Promise<PaymentMethod | null> =>
  live(tx, customerId)
    .andWhere('method.id <> :exceptId', { exceptId })
    .orderBy('method.created_at', 'DESC')
    .addOrderBy('method.id', 'DESC')
    .getOne();

export async function removePaymentMethod(tx: Tx, { id }: PaymentMethod, now: Date): Promise<void> {
  await tx.getRepository(paymentMethods).update(id, { deleted_at: now, modified_at: now });
}

/** A customer's methods go with the customer. */
export async function removePaymentMethods(tx: Tx, customerId: string, now: Date): Promise<void> {
  await tx
    .getRepository(paymentMethods)
    .update({ customer_id: customerId }, { deleted_at: now, modified_at: now });
}

/** What is charged while nobody is there: the customer's default method, or else the newest. */
export const findDefaultPaymentMethod = (reader: Reader, customerId: string): Promise<PaymentMethod | null> =>
  live(reader, customerId)
    .innerJoin('customers', 'customer', 'customer.id = method.customer_id')
    .orderBy('(method.id = customer.default_payment_method_id) is true', 'DESC')
    .addOrderBy('method.created_at', 'DESC')
    .addOrderBy('method.id')
    .limit(1)
    .getOne();
