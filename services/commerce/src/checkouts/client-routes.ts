import { anonymous } from '@tributary/proto/access.ts';
import { Problem, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { checkoutForbidden, EmbedHostNotAllowed, ExpiredCheckoutError, PaymentError } from '../problems.ts';
import { type Checkout, type Offer, requireFresh } from './checkout.ts';
import { confirmCheckoutSession } from './confirm-checkout.flow.ts';
import { loadOffer, requireTrading } from './load-offer.flow.ts';
import { presentPublicCheckout } from './present.ts';
import {
  CheckoutConfirmStripe,
  CheckoutPublic,
  CheckoutPublicConfirmed,
  CheckoutUpdatePublic,
} from './schema.ts';
import { getCheckout } from './store.ts';
import { updateCheckout } from './update-checkout.flow.ts';

const params = z.object({ client_secret: z.string().max(200) });

/** For the buyer, whom the session's secret lets in. */
export const checkoutClientRoutes = [
  route({
    method: 'GET',
    path: '/v1/checkouts/client/{client_secret}',
    operation: 'checkouts:client_get',
    summary: 'Read a checkout session by its secret',
    access: anonymous,
    rate: 'browser',
    params,
    response: CheckoutPublic,
    problems: [ResourceNotFound, ExpiredCheckoutError],
    handle: async ({ params: { client_secret }, now }, app) => {
      const checkout = await getCheckout(app.db.manager, { client_secret });
      requireFresh(checkout, now);
      const offer = await loadOffer(app, checkout);
      requireTrading(offer.organization);
      requireEmbedHost(checkout, offer);
      return presentPublicCheckout(checkout, offer, app);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/checkouts/client/{client_secret}',
    operation: 'checkouts:client_update',
    summary: 'Change an open checkout session by its secret',
    access: anonymous,
    rate: 'browser',
    params,
    body: CheckoutUpdatePublic,
    response: CheckoutPublic,
    problems: [ResourceNotFound, ExpiredCheckoutError, ...checkoutForbidden],
    handle: (call, app) => updateCheckout(call, app, call.params, presentPublicCheckout),
  }),
  route({
    method: 'POST',
    path: '/v1/checkouts/client/{client_secret}/confirm',
    operation: 'checkouts:client_confirm',
    summary: 'Confirm a checkout session by its secret',
    access: anonymous,
    rate: 'checkout_confirm',
    params,
    body: CheckoutConfirmStripe,
    response: CheckoutPublicConfirmed,
    problems: [PaymentError, ResourceNotFound, ExpiredCheckoutError, ...checkoutForbidden],
    handle: confirmCheckoutSession,
  }),
];

/** A page that embeds the form must be one the organization named, where it insists on that. */
function requireEmbedHost({ embed_origin }: Checkout, { organization }: Offer): void {
  if (embed_origin === null || !organization.embed_hosts_enforced) return;
  const host = URL.canParse(embed_origin) ? new URL(embed_origin).host : embed_origin;
  if (!organization.embed_hosts.includes(host)) {
    throw new Problem(EmbedHostNotAllowed, 'This page may not embed the checkout.');
  }
}
