import { merchant } from '@tributary/proto/access.ts';
import { listOf, type Paging, pagingShape, presentPage } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { AmbiguousExternalCustomerID } from '../problems.ts';
import { methodsOf } from './list-methods.flow.ts';
import { presentPaymentMethod } from './present.ts';
import { PaymentMethodShape } from './schema.ts';

type CustomerReference = Parameters<typeof methodsOf>[2];

async function list(call: Call<unknown, Paging, unknown>, app: App, reference: CustomerReference) {
  const { customer, page } = await methodsOf(app, call.principal, reference, call.query);
  return presentPage(page, call.query, (method) =>
    presentPaymentMethod(method, customer.default_payment_method_id),
  );
}

export const customerPaymentMethodRoutes = [
  route({
    method: 'GET',
    path: '/v1/customers/{id}/payment-methods',
    operation: 'customers:list_payment_methods',
    summary: 'List the payment methods of a customer',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ id: Id }),
    query: z.object(pagingShape),
    response: listOf(PaymentMethodShape),
    problems: [ResourceNotFound],
    handle: (call, app) => list(call, app, call.params),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/external/{external_id}/payment-methods',
    operation: 'customers:list_payment_methods_external',
    summary: 'List the payment methods of a customer by external id',
    access: merchant('customers:read', 'customers:write'),
    params: z.object({ external_id: z.string() }),
    query: z.object(pagingShape),
    response: listOf(PaymentMethodShape),
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) => list(call, app, call.params),
  }),
];
