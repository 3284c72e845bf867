import { activeFiles, type Benefit } from '../benefits/benefit.ts';
import { presentPublicBenefit } from '../benefits/present.ts';
import { presentOrganization } from '../organizations/present.ts';
import type { CustomerCopy, OrganizationCopy } from '../replicas.ts';
import type { CustomerBenefitGrantWire } from './portal-schema.ts';
import { type GrantView, presentCustomer, presentGrantCore } from './present.ts';

/** A grant as its holder sees it. */
export const presentCustomerGrant = (
  { grant, benefit, customer }: GrantView,
  organization: OrganizationCopy,
): CustomerBenefitGrantWire =>
  ({
    ...presentGrantCore(grant),
    customer: presentPortalCustomer(presentCustomer(customer, grant)),
    benefit: {
      ...presentPublicBenefit(benefit),
      organization: presentOrganization(organization),
      properties: shownProperties(benefit),
    },
    properties: grant.properties,
  }) as CustomerBenefitGrantWire;

const shownProperties = (benefit: Benefit) =>
  benefit.type === 'downloadables' ? { active_files: activeFiles(benefit.properties) } : benefit.properties;

const presentPortalCustomer = (customer: CustomerCopy) => ({
  created_at: customer.created_at,
  modified_at: customer.modified_at,
  id: customer.id,
  email: customer.email,
  email_verified: customer.email_verified,
  name: customer.name,
  billing_name: customer.billing_name,
  billing_address: customer.billing_address,
  tax_id: customer.tax_id,
  oauth_accounts: {},
  default_payment_method_id: customer.default_payment_method_id,
  type: customer.type,
  locale: customer.locale,
});
