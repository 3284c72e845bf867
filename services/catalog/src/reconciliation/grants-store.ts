import type { Part } from '@tributary/runtime/reconciliation/books.ts';
import { noneOf, sameSums } from '@tributary/runtime/reconciliation/parts.ts';

/** Sweeps bring grants in line after a change; what one of them has yet to reach is not out of line. */
const isSwept = `exists (
  select from sweeps sweep
  where (sweep.kind, sweep.target_id) in (
    ('seats-of-entitlement', entitlement.id), ('entitlements-of-product', entitlement.product_id),
    ('entitlements-of-customer', entitlement.customer_id)))`;

/** Who is entitled by an entitlement, and is still there: its customer, or whoever claimed one of its seats. */
const HOLDERS = `
  select entitlement.id as entitlement_id, entitlement.product_id, holder.customer_id, holder.member_id
  from entitlements entitlement
  cross join lateral (
    select entitlement.customer_id, null::uuid as member_id where not entitlement.has_seats
    union
    select seat.customer_id, seat.member_id from entitlement_seats seat
    where entitlement.has_seats and seat.entitlement_id = entitlement.id and seat.is_claimed
  ) holder
  join customers_replica customer on customer.id = holder.customer_id
    and customer.value is not null and customer.value ->> 'deleted_at' is null
  cross join span
  where entitlement.is_active and entitlement.created_at >= span.since and not ${isSwept}`;

/** Grants against what they come from: subscriptions and orders, whose copies here are the entitlements. */
export const grantParts: readonly Part[] = [
  /** A grant that the merchant holds back by hand is accounted for, too. */
  sameSums(
    'grants: as the purchases say',
    `select entitlement.kind as name, coalesce(sum(due.benefits), 0)::text as expected,
       coalesce(sum(due.given), 0)::text as found
     from entitlements entitlement
     join (
       select holder.entitlement_id, count(*) as benefits, count(*) filter (where held.id is not null) as given
       from (${HOLDERS}) holder
       join product_benefits listed on listed.product_id = holder.product_id
       join benefits benefit on benefit.id = listed.benefit_id and benefit.deleted_at is null
       left join benefit_grants held on held.entitlement_id = holder.entitlement_id
         and held.benefit_id = benefit.id and held.customer_id = holder.customer_id
         and held.member_id is not distinct from holder.member_id
         and (held.granted_at is not null or held.withdrawn_at is not null)
       group by holder.entitlement_id
     ) due on due.entitlement_id = entitlement.id
     group by entitlement.kind`,
  ),
  noneOf(
    'grants: held without a purchase that gives them',
    `select held.id from span, benefit_grants held
     join entitlements entitlement on entitlement.id = held.entitlement_id
     where held.granted_at is not null and held.created_at >= span.since and not entitlement.is_active
       and not ${isSwept}`,
  ),
  noneOf(
    'grants: held by somebody who was deleted',
    `select held.id from span, benefit_grants held
     join customers_replica customer on customer.id = held.customer_id
     where held.granted_at is not null and held.created_at >= span.since
       and (customer.value is null or customer.value ->> 'deleted_at' is not null)
       and not exists (
         select from sweeps sweep
         where sweep.kind in ('grants-of-customer', 'entitlements-of-customer') and sweep.target_id = customer.id)`,
  ),
  noneOf(
    'sweeps: not taken up',
    `select sweep.id from span, sweeps sweep where sweep.due_at < span.before - interval '10 minutes'`,
  ),
];
