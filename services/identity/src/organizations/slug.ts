/** Words that would read as an address of the platform itself. */
const reserved = new Set(
  `about account accounts admin api app apps assets auth authorize backoffice billing blog careers checkout
   checkouts contact customer customer-portal dashboard demo dev developers discover docs download downloads
   email embed events faq favicon feedback files health healthz help home images integrations internal invite
   invoices jobs legal login logout mail metrics new news null oauth oauth2 onboarding openapi orders
   organization organizations orgs payments payouts portal pricing privacy product products profile public
   purchases readyz register sandbox search security sessions settings shop signin signout signup start static
   status store subscriptions support system team teams terms test tributary undefined user users verify
   webhook webhooks well-known www`.split(/\s+/),
);

const SHAPE = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** Whether the text can be part of an address as it is: lower-case letters, digits and single inner hyphens. */
export const isSlug = (text: string): boolean => SHAPE.test(text);

export const isReservedSlug = (slug: string): boolean => reserved.has(slug);
