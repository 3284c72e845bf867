import type { Principal } from '@tributary/proto/principal.ts';
import { portalPrincipal } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import { getCustomer } from '../customers/store.ts';
import { getMember } from '../members/store.ts';

/** Whom a portal session belongs to: the customer, or one of its members. */
export async function readUser({ db }: App, principal: Principal) {
  const caller = portalPrincipal(principal);
  const { customer_id } = caller;
  const customer = await getCustomer(db.manager, [caller.organization_id], { id: customer_id });
  if (caller.kind === 'customer') {
    // The contract knows no user without an address; a team may lack one.
    const email = customer.email ?? '';
    return { type: 'customer', name: customer.name, email, customer_id, member_id: null, role: null };
  }
  const { id, name, email, role } = await getMember(db.manager, customer_id, { id: caller.member_id });
  return { type: 'member', name, email, customer_id, member_id: id, role };
}
