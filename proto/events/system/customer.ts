import { z } from 'zod';

const customer = {
  customer_id: z.string(),
  customer_email: z.string().nullable(),
  customer_name: z.string().nullable(),
  customer_external_id: z.string().nullable(),
};

const Address = z.object({
  line1: z.string().optional(),
  line2: z.string().optional(),
  postal_code: z.string().optional(),
  city: z.string().optional(),
  state: z.string().optional(),
  country: z.string(),
});

/** New values of what changed in a customer. */
export const CustomerUpdatedFields = z
  .object({
    name: z.string().nullable(),
    billing_name: z.string().nullable(),
    email: z.string().nullable(),
    billing_address: Address.nullable(),
    tax_id: z.string().nullable(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).nullable(),
  })
  .partial()
  .meta({
    id: 'CustomerUpdatedFields',
    description: 'New values of the fields that changed; null is an emptied field',
  });

/** A customer record was made, changed or removed. */
export const customerEvents = {
  'customer.created': z.object(customer).meta({ id: 'CustomerCreatedMetadata' }),
  'customer.updated': z
    .object({ ...customer, updated_fields: CustomerUpdatedFields })
    .meta({ id: 'CustomerUpdatedMetadata' }),
  'customer.deleted': z.object(customer).meta({ id: 'CustomerDeletedMetadata' }),
};

export const customerSubject = ['customer_id'] as const;
