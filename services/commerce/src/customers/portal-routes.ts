import { portal } from '@tributary/proto/access.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import { portalPrincipal, requireBillingRole } from '@tributary/runtime/principal.ts';
import { route } from '../app.ts';
import { makeDefault } from '../payment-methods/save-method.flow.ts';
import { findPaymentMethod } from '../payment-methods/store.ts';
import { presentPortalCustomer } from './present.ts';
import { CustomerPortalCustomer, CustomerPortalCustomerUpdate } from './schema.ts';
import { getCustomer } from './store.ts';
import { updateCustomer } from './update-customer.flow.ts';

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
      const { organization_id, customer_id } = requireBillingRole(call.principal);
      const { default_payment_method_id: methodId, ...change } = call.body;
      return call.transaction(async (tx) => {
        const customer = await getCustomer(tx, [organization_id], { id: customer_id }, true);
        const changed = await updateCustomer(tx, customer, change, call.now);
        if (methodId == null || methodId === changed.default_payment_method_id)
          return presentPortalCustomer(changed);
        const method = await findPaymentMethod(tx, customer_id, methodId);
        if (!method) {
          throw invalid(
            ['body', 'default_payment_method_id'],
            'Payment method does not exist.',
            'value_error',
            methodId,
          );
        }
        return presentPortalCustomer(await makeDefault(tx, changed, method, call.now));
      });
    },
  }),
];
