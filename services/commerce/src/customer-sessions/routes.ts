import { merchant, portal } from '@tributary/proto/access.ts';
import { portalPrincipal } from '@tributary/runtime/principal.ts';
import { route } from '../app.ts';
import { createSession } from './create-session.flow.ts';
import { readUser } from './read-user.flow.ts';
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
    handle: ({ principal }, app) => readUser(app, principal),
  }),
];
