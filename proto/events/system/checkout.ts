import { z } from 'zod';

/** A checkout session was opened; the one system event that may come before there is a customer. */
export const checkoutEvents = {
  'checkout.created': z
    .object({ checkout_id: z.string(), checkout_status: z.string(), product_id: z.string().optional() })
    .meta({ id: 'CheckoutCreatedMetadata' }),
};

export const checkoutSubject = ['checkout_id'] as const;
