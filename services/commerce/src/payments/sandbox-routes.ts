import { anonymous } from '@tributary/proto/access.ts';
import { notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { checkoutOfKey } from '../checkouts/checkout.ts';
import { resumeCheckout } from '../checkouts/resume-checkouts.flow.ts';

const outcomes = { authenticated: 'succeeded', refused: 'failed' } as const;

/** What a bank's page does where money is real: the second step of a payment, for trying things out. */
export const sandboxRoutes = [
  route({
    method: 'POST',
    path: '/v1/sandbox/payment-intents/{client_secret}/complete',
    operation: 'sandbox:complete_payment_intent',
    summary: 'Take the second step of a sandbox payment',
    access: anonymous,
    params: z.object({ client_secret: z.string().max(200) }),
    body: z.object({ outcome: z.enum(['authenticated', 'refused']).default('authenticated') }),
    response: z.object({ status: z.enum(['succeeded', 'failed']) }),
    problems: [ResourceNotFound],
    handle: async ({ params, body, now }, app) => {
      const key = await app.sandbox?.completeSecondStep(params.client_secret, body.outcome);
      if (key === undefined) throw notFound('No payment waits for this step');
      const checkoutId = checkoutOfKey(key);
      if (checkoutId) await resumeCheckout(app, checkoutId, now);
      return { status: outcomes[body.outcome] };
    },
  }),
];
