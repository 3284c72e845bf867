import { emailsTopic } from '@tributary/proto/events/topics.ts';
import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';

/** What is told of a customer may come this much later than the message that it is forgotten. */
const SWEEP_DAYS = 2;
const SWEEP_EVERY_MS = 10 * 60_000;

/** Remembers, as a hash, that an address is or was the customer's. */
export const rememberAddress = (
  reader: Pick<Reader, 'query'>,
  customerId: string,
  addressHash: string,
): Promise<unknown> =>
  reader.query(
    'insert into customer_addresses (customer_id, address_hash) values ($1, $2) on conflict do nothing',
    [customerId, addressHash],
  );

export const insertForgottenCustomer = (
  reader: Pick<Reader, 'query'>,
  customer: { id: string; organization_id: string },
  at: Date,
  now: Date,
): Promise<unknown> =>
  reader.query(
    `insert into forgotten_customers (customer_id, organization_id, forgotten_at, sweep_at) values ($1, $2, $3, $4)
     on conflict (customer_id) do nothing`,
    [customer.id, customer.organization_id, at, nextSweep(now)],
  );

/**
 * What is still on its way to an endpoint is delivered first; the next sweep takes it. A service that has not heard of
 * the wish yet may go on naming the person for a moment: what it says lacks the note that the customer then bears.
 */
const FORGET_BODIES = `
  with gone as (
    delete from webhook_bodies body using forgotten_customers forgotten
    where forgotten.customer_id = any($1)
      and (body.customer_id = forgotten.customer_id
        or (body.organization_id = forgotten.organization_id and body.address_hash in (
          select address_hash from customer_addresses address where address.customer_id = forgotten.customer_id)))
      and (body.occurred_at < forgotten.forgotten_at or body.body not like '%"__anonymized_at"%')
      and not exists (
        select 1 from webhook_events event where event.message_id = body.message_id and event.due_at is not null)
    returning body.message_id
  )
  update webhook_deliveries delivery set response = null
  from webhook_events event join gone on gone.message_id = event.message_id
  where delivery.event_id = event.id and delivery.response is not null`;

const FORGET_EMAILS = `
  update emails email
  set recipient = null, data = null, error = null, status = 'forgotten', due_at = null, claim_id = null
  from forgotten_customers forgotten
  join customer_addresses address on address.customer_id = forgotten.customer_id
  where forgotten.customer_id = any($1) and email.recipient_hash = address.address_hash
    and email.organization_id = forgotten.organization_id
    and email.created_at < forgotten.forgotten_at and email.status <> 'forgotten'
  returning email.id`;

/** A mail that was set aside is found by its recipient, who is its message's key too. */
const FORGET_PARKED_EMAILS = `
  update parked_messages parked set message = message - 'value' - 'key', error = 'Its reader is forgotten.'
  from customer_addresses address
  where address.customer_id = any($1) and parked.topic = '${emailsTopic.name}'
    and encode(sha256(convert_to(lower(parked.message -> 'value' ->> 'to'), 'utf8')), 'hex') = address.address_hash`;

/** Takes what was said of and to these customers out of the webhooks and mails kept here; returns the mails' ids. */
export async function forgetCustomers(
  reader: Pick<Reader, 'query'>,
  customerIds: readonly string[],
): Promise<string[]> {
  await reader.query(FORGET_BODIES, [customerIds]);
  await reader.query(FORGET_PARKED_EMAILS, [customerIds]);
  const [mails]: [{ id: string }[], number] = await reader.query(FORGET_EMAILS, [customerIds]);
  return mails.map(({ id }) => id);
}

const nextSweep = (now: Date) => new Date(now.getTime() + SWEEP_EVERY_MS);

/** Customers whose sweep is due, locked, and due again later: at most `limit`. */
export async function takeDueSweeps(tx: Pick<Tx, 'query'>, now: Date, limit: number): Promise<string[]> {
  const [due]: [{ customer_id: string }[], number] = await tx.query(
    `update forgotten_customers set sweep_at = $3 where customer_id in (
       select customer_id from forgotten_customers where sweep_at <= $1
       order by sweep_at limit $2 for update skip locked)
     returning customer_id`,
    [now, limit, nextSweep(now)],
  );
  return due.map(({ customer_id }) => customer_id);
}

/** Drops the means to find what was said of these customers, once they have been needed long enough. */
export const dropOldSweeps = (
  tx: Pick<Tx, 'query'>,
  customerIds: readonly string[],
  now: Date,
): Promise<unknown> =>
  tx.query(
    `with done as (
       delete from forgotten_customers
       where customer_id = any($1) and forgotten_at < $2::timestamptz - make_interval(days => $3)
       returning customer_id)
     delete from customer_addresses using done where customer_addresses.customer_id = done.customer_id`,
    [customerIds, now, SWEEP_DAYS],
  );
