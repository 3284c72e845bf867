import type { Principal, PrincipalOf } from '@tributary/proto/principal.ts';
import { requireAdministrator, requireBillingRole } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import type { Customer } from '../customers/customer.ts';
import { type CustomerReference, getCustomer } from '../customers/store.ts';
import { reachable } from '../scope.ts';
import { areMembersEnabled } from './add-member.flow.ts';
import { requireTeam } from './member.ts';

/** A customer the merchant reaches. */
export const customerToRead = (
  { db }: App,
  principal: Principal,
  reference: CustomerReference,
): Promise<Customer> => getCustomer(db.manager, reachable(principal), reference);

/** A customer whose members the merchant may change. */
export async function customerToChange(
  app: App,
  principal: Principal,
  reference: CustomerReference,
): Promise<Customer> {
  const customer = await customerToRead(app, principal, reference);
  requireAdministrator(principal, customer.organization_id);
  return customer;
}

/** The caller's team, which the owner and billing managers look after. */
export async function ownTeam(app: App, principal: Principal): Promise<{ team: Customer; memberId: string }> {
  const { organization_id, customer_id, member_id } = requireBillingRole(principal) as PrincipalOf<'member'>;
  const team = await getCustomer(app.db.manager, [organization_id], { id: customer_id });
  requireTeam(team, await areMembersEnabled(app, organization_id));
  return { team, memberId: member_id };
}
