import { owned, resourceShape } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';

const SubscriptionProrationBehavior = z
  .enum(['invoice', 'prorate', 'next_period', 'reset'])
  .meta({ id: 'SubscriptionProrationBehavior' });

const { id, created_at, modified_at } = resourceShape;
/** The part of an organization that buyers see. */
const publicShape = {
  created_at,
  modified_at,
  id,
  name: z.string(),
  slug: z.string(),
  avatar_url: z.string().nullable(),
  proration_behavior: SubscriptionProrationBehavior,
  allow_customer_updates: z.boolean(),
};

export const CheckoutOrganization = z.object(publicShape).meta({ id: 'CheckoutOrganization' });

const OrganizationCustomerPortalSettings = owned<object>('OrganizationCustomerPortalSettings');

export const CustomerOrganization = z
  .object({
    ...publicShape,
    customer_portal_settings: OrganizationCustomerPortalSettings,
    organization_features: z
      .object({
        member_model_enabled: z.boolean().default(false),
        checkout_localization_enabled: z.boolean().default(false),
      })
      .meta({ id: 'CustomerOrganizationFeatureSettings' })
      .optional(),
  })
  .meta({ id: 'CustomerOrganization' });
