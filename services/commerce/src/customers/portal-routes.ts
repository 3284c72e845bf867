import { portal } from '@tributary/proto/access.ts';
import { portalPrincipal, requireBillingRole } from '@tributary/runtime/principal.ts';
import { route } from '../app.ts';
import { presentPortalCustomer } from './present.ts';
import { CustomerPortalCustomer, CustomerPortalCustomerUpdate } from './schema.ts';
import { getCustomer } from './store.ts';
import { updateMe } from './update-me.flow.ts';

export const customerPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/customers/me',
    operation: 'customer_portal:customers:get',
    summary: 'Read yourself',
    access: portal('customer_portal:read', 'customer_portal:write'),
    response: CustomerPortalCustomer,
    handle: async ({ principal }, { db }) => {
      const { organization_id, customer_id } = portalPrincipal(principal);
      return presentPortalCustomer(await getCustomer(db.manager, [organization_id], { id: customer_id }));
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/customer-portal/customers/me',
    operation: 'customer_portal:customers:update',
    summary: 'Change your billing data',
    access: portal('customer_portal:write'),
    body: CustomerPortalCustomerUpdate,
    response: CustomerPortalCustomer,
    handle: (call) => {
      const caller = requireBillingRole(call.principal);
      return call.transaction(async (tx) =>
        presentPortalCustomer(await updateMe(tx, caller, call.body, call.now)),
      );
    },
  }),
];
