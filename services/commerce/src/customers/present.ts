import { iso, presentRecorded } from '@tributary/runtime/db/columns.ts';
import { avatarUrl, type Customer } from './customer.ts';
import type { CustomerWire } from './schema.ts';

export const presentCustomer = (customer: Customer): CustomerWire =>
  ({
    ...presentRecorded(customer),
    metadata: customer.metadata,
    external_id: customer.external_id,
    email: customer.email,
    email_verified: customer.email_verified,
    type: customer.type,
    name: customer.name,
    billing_name: customer.billing_name ?? customer.name,
    billing_address: customer.billing_address,
    tax_id: customer.tax_id,
    locale: customer.locale,
    organization_id: customer.organization_id,
    default_payment_method_id: customer.default_payment_method_id,
    deleted_at: iso(customer.deleted_at),
    first_user_event_at: iso(customer.first_user_event_at),
    avatar_url: avatarUrl(customer.email),
  }) as CustomerWire;

/** What the customer sees of themselves. */
export const presentPortalCustomer = (customer: Customer) => ({
  ...presentRecorded(customer),
  email: customer.email,
  email_verified: customer.email_verified,
  name: customer.name,
  billing_name: customer.billing_name ?? customer.name,
  billing_address: customer.billing_address,
  tax_id: customer.tax_id,
  oauth_accounts: {},
  default_payment_method_id: customer.default_payment_method_id,
  type: customer.type,
  locale: customer.locale,
});
