import { portal } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import {
  CustomerNotReady,
  PaymentMethodInUseByActiveSubscription,
  PaymentMethodSetupFailed,
} from '../problems.ts';
import { payer } from './list-methods.flow.ts';
import { presentPortalPaymentMethod } from './present.ts';
import { removeMethod } from './remove-method.flow.ts';
import { addPaymentMethod, confirmPaymentMethod } from './save-method.flow.ts';
import {
  CustomerPaymentMethod,
  CustomerPaymentMethodConfirm,
  CustomerPaymentMethodCreate,
  CustomerPaymentMethodCreateResponse,
} from './schema.ts';
import { listPaymentMethods } from './store.ts';

export const paymentMethodPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/customers/me/payment-methods',
    operation: 'customer_portal:customers:list_payment_methods',
    summary: 'List your payment methods',
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: z.object(pagingShape),
    response: listOf(CustomerPaymentMethod),
    handle: async ({ query, principal }, app) => {
      const customer = await payer(app, principal);
      const page = await listPaymentMethods(app.db.manager, customer.id, query);
      return presentPage(page, query, presentPortalPaymentMethod);
    },
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/customers/me/payment-methods',
    operation: 'customer_portal:customers:add_payment_method',
    summary: 'Add a payment method',
    access: portal('customer_portal:write'),
    status: 201,
    body: CustomerPaymentMethodCreate,
    response: CustomerPaymentMethodCreateResponse,
    problems: [PaymentMethodSetupFailed],
    handle: async (call, app) => addPaymentMethod(call, app, await payer(app, call.principal), call.body),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/customers/me/payment-methods/confirm',
    operation: 'customer_portal:customers:confirm_payment_method',
    summary: 'Confirm a payment method after its second step',
    access: portal('customer_portal:write'),
    status: 201,
    body: CustomerPaymentMethodConfirm,
    response: CustomerPaymentMethodCreateResponse,
    problems: [CustomerNotReady],
    handle: async (call, app) => confirmPaymentMethod(call, app, await payer(app, call.principal), call.body),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customer-portal/customers/me/payment-methods/{id}',
    operation: 'customer_portal:customers:delete_payment_method',
    summary: 'Remove a payment method',
    access: portal('customer_portal:write'),
    status: 204,
    params: z.object({ id: Id }),
    problems: [PaymentMethodInUseByActiveSubscription, ResourceNotFound],
    handle: async (call, app) => {
      const customer = await payer(app, call.principal);
      await call.transaction((tx) => removeMethod(tx, customer.id, call.params.id, call.now));
    },
  }),
];
