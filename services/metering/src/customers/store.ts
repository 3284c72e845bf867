import type { Tx } from '@tributary/runtime/db/transaction.ts';
import type { CustomerEvent } from '../customer-meters/usage.ts';
import { holdCounting, holdReplay } from '../organization-locks.ts';
import type { CustomerCopy } from '../replicas.ts';

/** Longer external ids are refused by ingest, so no event can carry one. */
const MAX_EXTERNAL_ID = 512;

/**
 * Notes which external id means the customer from now on. Ingest is held meanwhile, so every event is either stored
 * with the customer or found by the join that this starts.
 */
export async function nameCustomer(tx: Tx, customer: CustomerCopy): Promise<void> {
  const { id, organization_id } = customer;
  const external_id = customer.deleted_at === null ? customer.external_id : null;
  if (await isNamed(tx, customer, external_id)) return;
  await holdReplay(tx, organization_id);
  await holdCounting(tx, organization_id);
  await releaseNames(tx, organization_id, id, external_id);
  if (external_id === null || external_id.length > MAX_EXTERNAL_ID) return;
  await tx.query(
    `update customer_external_ids set is_current = false
     where organization_id = $1 and external_id = $2 and is_current and customer_id <> $3`,
    [organization_id, external_id, id],
  );
  await tx.query(
    `insert into customer_external_ids (organization_id, external_id, customer_id, is_current) values ($1, $2, $3, true)
     on conflict (organization_id, external_id, customer_id) do update set is_current = true`,
    [organization_id, external_id, id],
  );
  await tx.query(
    `insert into customer_joins (organization_id, external_id, customer_id)
     select $1::uuid, $2::text, $3::uuid
     where exists (select from events where organization_id = $1 and external_customer_id = $2 and customer_id is null)
     on conflict (organization_id, external_id) do update set customer_id = excluded.customer_id`,
    [organization_id, external_id, id],
  );
}

/** Whether the names are as they should be already: most changes of a customer leave its external id alone. */
async function isNamed(tx: Tx, { id }: CustomerCopy, external_id: string | null): Promise<boolean> {
  const rows: { external_id: string }[] = await tx.query(
    'select external_id from customer_external_ids where customer_id = $1 and is_current',
    [id],
  );
  return external_id === null ? rows.length === 0 : rows.length === 1 && rows[0]!.external_id === external_id;
}

/** Takes other names from the customer. Somebody who claimed one of them in the meantime gets it. */
async function releaseNames(
  tx: Tx,
  organizationId: string,
  customerId: string,
  kept: string | null,
): Promise<void> {
  const released: { external_id: string }[] = await tx.query(
    `select external_id from customer_external_ids
     where customer_id = $1 and is_current and external_id is distinct from $2`,
    [customerId, kept],
  );
  if (released.length === 0) return;
  const names = released.map((row) => row.external_id);
  await tx.query(
    `update customer_external_ids set is_current = false where customer_id = $1 and external_id = any($2)`,
    [customerId, names],
  );
  await tx.query(
    `update customer_external_ids named set is_current = true
     from (
       select distinct on (other.external_id) other.external_id, other.customer_id
       from customer_external_ids other join customers_replica customer on customer.id = other.customer_id
       where other.organization_id = $1 and other.external_id = any($2) and other.customer_id <> $3
         and customer.value ->> 'external_id' = other.external_id and customer.value ->> 'deleted_at' is null
       order by other.external_id, customer.value ->> 'created_at' desc
     ) heir
     where named.organization_id = $1 and named.external_id = heir.external_id
       and named.customer_id = heir.customer_id`,
    [organizationId, names, customerId],
  );
}

/** A customer whose external id has events from before it was there. */
export interface Join {
  organization_id: string;
  external_id: string;
}

/** The customer that a join leads to, with the join's row locked; undefined when it is done. */
export async function lockJoin(tx: Tx, { organization_id, external_id }: Join): Promise<string | undefined> {
  const [row]: { customer_id: string }[] = await tx.query(
    'select customer_id from customer_joins where organization_id = $1 and external_id = $2 for update',
    [organization_id, external_id],
  );
  return row?.customer_id;
}

/** Gives the customer the earliest events that have none, at most `limit`. */
export async function takeEvents(
  tx: Tx,
  { organization_id, external_id }: Join,
  customerId: string,
  limit: number,
): Promise<(CustomerEvent & { id: string })[]> {
  const [rows]: [{ id: string; name: string; timestamp: Date; metadata: Record<string, unknown> }[]] =
    await tx.query(
      `update events set customer_id = $3
       where id = any(array(
         select id from events where organization_id = $1 and external_customer_id = $2 and customer_id is null
         order by timestamp limit $4))
       returning id, name, timestamp, metadata`,
      [organization_id, external_id, customerId, limit],
    );
  return rows.map((row) => ({
    ...row,
    customer_id: customerId,
    source: 'user',
    timestamp: row.timestamp.getTime(),
  }));
}

export async function endJoin(tx: Tx, { organization_id, external_id }: Join): Promise<void> {
  await tx.query('delete from customer_joins where organization_id = $1 and external_id = $2', [
    organization_id,
    external_id,
  ]);
}

/** A join that waits, the oldest external id first. */
export async function nextJoin(db: Pick<Tx, 'query'>): Promise<Join | undefined> {
  const [row]: Join[] = await db.query(
    'select organization_id, external_id from customer_joins order by organization_id, external_id limit 1',
  );
  return row;
}
