import { Id, owned, Timestamp } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { CustomerProduct } from '../products/schema.ts';

const ProrationBehavior = z
  .enum(['invoice', 'prorate', 'next_period', 'reset'])
  .meta({ id: 'SubscriptionProrationBehavior' });

/** The organization as a benefit shows it to a customer. */
export const BenefitSubscriberOrganization = z
  .object({
    created_at: Timestamp,
    modified_at: Timestamp.nullable(),
    id: Id,
    name: z.string(),
    slug: z.string(),
    avatar_url: z.string().nullable(),
    proration_behavior: ProrationBehavior,
    allow_customer_updates: z.boolean(),
  })
  .meta({ id: 'BenefitSubscriberOrganization' });
export type BenefitSubscriberOrganization = z.output<typeof BenefitSubscriberOrganization>;

export const CustomerOrganizationData = z
  .object({
    organization: owned<object>('CustomerOrganization'),
    products: z.array(CustomerProduct),
  })
  .meta({ id: 'CustomerOrganizationData' });
