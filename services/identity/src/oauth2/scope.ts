import { type Scope, scopes } from '@tributary/proto/access.ts';

const special: Readonly<Record<string, string>> = {
  openid: 'Know who you are',
  profile: 'Read your profile',
  email: 'Read your e-mail address',
  'user:read': 'Read your account',
  'user:write': 'Change your account',
  'organizations:read': 'Read your organizations',
  'organizations:write': 'Create and change organizations',
  'customer_portal:read': 'Read your own purchases',
  'customer_portal:write': 'Manage your own purchases',
};

/** A scope in words, for the person who is asked to grant it. */
export function displayNameOf(scope: Scope): string {
  const [resource, direction] = scope.split(':') as [string, string | undefined];
  const noun = resource.replaceAll('_', ' ');
  return special[scope] ?? (direction === 'read' ? `Read ${noun}` : `Create and change ${noun}`);
}

export const scopeDisplayNames: Readonly<Record<Scope, string>> = Object.fromEntries(
  scopes.map((scope) => [scope, displayNameOf(scope)]),
) as Record<Scope, string>;

/** What applications may ask for: everything but the power to make tokens of an organization. */
export const requestableScopes: readonly Scope[] = scopes.filter(
  (scope) => !scope.startsWith('organization_access_tokens:'),
);

/** Reads a space-delimited scope parameter; undefined when a word of it is not in `allowed`. */
export function parseScopes(text: string, allowed: readonly Scope[]): Scope[] | undefined {
  const words = [...new Set(text.split(' ').filter((word) => word !== ''))];
  return words.every((word) => (allowed as readonly string[]).includes(word))
    ? (words as Scope[])
    : undefined;
}

/** Whether every wanted scope is held. */
export const isCovered = (wanted: readonly Scope[], held: readonly Scope[]): boolean =>
  wanted.every((scope) => held.includes(scope));
