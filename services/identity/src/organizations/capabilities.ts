export const organizationStatuses = [
  'created',
  'review',
  'snoozed',
  'denied',
  'active',
  'blocked',
  'offboarding',
  'offboarded',
] as const;
export type OrganizationStatus = (typeof organizationStatuses)[number];

/** Capabilities of each status, in one place (all six exist for every status). */
const everything = {
  checkout_payments: true,
  subscription_renewals: true,
  payouts: true,
  refunds: true,
  api_access: true,
  dashboard_access: true,
};
const nothing = {
  checkout_payments: false,
  subscription_renewals: false,
  payouts: false,
  refunds: false,
  api_access: false,
  dashboard_access: false,
};
export type Capabilities = Record<keyof typeof everything, boolean>;
const accessOnly: Capabilities = { ...nothing, api_access: true, dashboard_access: true };

const capabilities: Record<OrganizationStatus, Capabilities> = {
  created: accessOnly,
  denied: accessOnly,
  active: everything,
  review: everything,
  snoozed: everything,
  offboarding: { ...everything, payouts: false },
  offboarded: { ...accessOnly, payouts: true },
  blocked: nothing,
};

/** What an organization can do now follows from its status alone. */
export const capabilitiesOf = (status: OrganizationStatus): Capabilities => capabilities[status];
