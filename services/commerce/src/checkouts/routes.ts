import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, many, SearchText } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { checkoutForbidden } from '../problems.ts';
import { reachable } from '../scope.ts';
import { createCheckout } from './create-checkout.flow.ts';
import { loadOffer, loadOffers } from './load-offer.flow.ts';
import { presentCheckout } from './present.ts';
import { CheckoutCreate, CheckoutShape, CheckoutStatusShape, CheckoutUpdate } from './schema.ts';
import { checkoutSortKeys, getCheckout, listCheckouts } from './store.ts';
import { updateCheckout } from './update-checkout.flow.ts';

const params = z.object({ id: Id });

export const checkoutRoutes = [
  route({
    method: 'GET',
    path: '/v1/checkouts/',
    operation: 'checkouts:list',
    summary: 'List checkout sessions',
    access: merchant('checkouts:read', 'checkouts:write'),
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('CheckoutSortProperty', checkoutSortKeys, ['-created_at']),
      organization_id: many(Id),
      product_id: many(Id),
      customer_id: many(Id),
      external_customer_id: many(z.string().max(255)),
      status: many(CheckoutStatusShape),
      query: SearchText,
    }),
    response: listOf(CheckoutShape),
    handle: async ({ query, principal }, app) => {
      const page = await listCheckouts(app.db.manager, reachable(principal, query.organization_id), query);
      const offers = await loadOffers(app, page.items);
      return presentPage(page, query, (checkout) => presentCheckout(checkout, offers.get(checkout.id)!, app));
    },
  }),
  route({
    method: 'POST',
    path: '/v1/checkouts/',
    operation: 'checkouts:create',
    summary: 'Open a checkout session',
    access: merchant('checkouts:write'),
    status: 201,
    body: CheckoutCreate,
    response: CheckoutShape,
    handle: createCheckout,
  }),
  route({
    method: 'GET',
    path: '/v1/checkouts/{id}',
    operation: 'checkouts:get',
    summary: 'Read a checkout session',
    access: merchant('checkouts:read', 'checkouts:write'),
    params,
    response: CheckoutShape,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, app) => {
      const checkout = await getCheckout(app.db.manager, { id, organizationIds: reachable(principal) });
      return presentCheckout(checkout, await loadOffer(app, checkout), app);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/checkouts/{id}',
    operation: 'checkouts:update',
    summary: 'Change an open checkout session',
    access: merchant('checkouts:write'),
    params,
    body: CheckoutUpdate,
    response: CheckoutShape,
    problems: [ResourceNotFound, ...checkoutForbidden],
    handle: (call, app) => {
      const reference = { id: call.params.id, organizationIds: reachable(call.principal) };
      return updateCheckout(call, app, reference, presentCheckout);
    },
  }),
];
