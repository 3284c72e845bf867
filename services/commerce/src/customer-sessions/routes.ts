import { merchant, portal } from '@tributary/proto/access.ts';
import { portalPrincipal } from '@tributary/runtime/principal.ts';
import { route } from '../app.ts';
import { getCustomer } from '../customers/store.ts';
import { getMember } from '../members/store.ts';
import { createSession } from './create-session.flow.ts';
import {
  CustomerCustomerSession,
  CustomerSession,
  CustomerSessionCreate,
  PortalAuthenticatedUser,
} from './schema.ts';

export const customerSessionRoutes = [
  route({
    method: 'POST',
    path: '/v1/customer-sessions/',
    operation: 'customer-sessions:create',
    summary: 'Open a portal session for a customer',
    access: merchant('customer_sessions:write'),
    status: 201,
    body: CustomerSessionCreate,
    response: CustomerSession,
    handle: createSession,
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/customer-session/introspect',
    operation: 'customer_portal:customer-session:introspect',
    summary: 'Read your session',
    access: portal('customer_portal:read', 'customer_portal:write'),
    response: CustomerCustomerSession,
    handle: async ({ principal }, app) => {
      const session = await app.sessions.getSession({ id: portalPrincipal(principal).token_id });
      return { expires_at: session.expires_at!.toISOString(), return_url: session.return_url ?? null };
    },
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/customer-session/user',
    operation: 'customer_portal:customer-session:get_authenticated_user',
    summary: 'Read who you are',
    access: portal('customer_portal:read', 'customer_portal:write'),
    response: PortalAuthenticatedUser,
    handle: async ({ principal }, { db }) => {
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
    },
  }),
];
