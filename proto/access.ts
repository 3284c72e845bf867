/** Credential kinds of the contract (service description, section 5). */
export const schemes = ['oidc', 'pat', 'oat', 'customer_session', 'member_session'] as const;
export type Scheme = (typeof schemes)[number];

const readWriteResources = [
  'user',
  'organizations',
  'custom_fields',
  'discounts',
  'checkout_links',
  'checkouts',
  'transactions',
  'payouts',
  'products',
  'benefits',
  'events',
  'meters',
  'files',
  'subscriptions',
  'customers',
  'members',
  'wallets',
  'disputes',
  'customer_seats',
  'orders',
  'refunds',
  'metrics',
  'webhooks',
  'license_keys',
  'customer_portal',
  'notifications',
  'notification_recipients',
  'organization_access_tokens',
] as const;

const singleScopes = [
  'openid',
  'profile',
  'email',
  'customer_meters:read',
  'payments:read',
  'customer_sessions:write',
  'member_sessions:write',
] as const;

type ReadWriteResource = (typeof readWriteResources)[number];

/** Every scope identifier of the contract (service description, 5.5 and 5.6). */
export type Scope =
  | (typeof singleScopes)[number]
  | `${ReadWriteResource}:read`
  | `${ReadWriteResource}:write`;

export const scopes: readonly Scope[] = [
  ...singleScopes,
  ...readWriteResources.flatMap((resource) => [`${resource}:read`, `${resource}:write`] as const),
];

/** Who may call a route: any one of `schemes` holding any one of `scopes`; no scheme means no credentials needed. */
export interface Access {
  readonly schemes: readonly Scheme[];
  readonly scopes: readonly Scope[];
}

/** Merchant side: OpenID Connect, personal and organization access tokens. */
export const merchant = (...granting: Scope[]): Access => ({
  schemes: ['oidc', 'pat', 'oat'],
  scopes: granting,
});

/** Merchant side, users only: an organization access token is refused. */
export const userOnly = (...granting: Scope[]): Access => ({ schemes: ['oidc', 'pat'], scopes: granting });

/** Customer portal: customer and member sessions, which hold `customer_portal:write`. */
export const portal = (...granting: Scope[]): Access => ({
  schemes: ['customer_session', 'member_session'],
  scopes: granting,
});

/** No credentials needed; a bad token is refused all the same. */
export const anonymous: Access = { schemes: [], scopes: [] };
