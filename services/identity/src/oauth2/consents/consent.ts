import type { Scope } from '@tributary/proto/access.ts';
import type { SubType } from '../clients/client.ts';
import { isCovered } from '../scope.ts';

/** What a user has agreed to before, for one client and kind of access. */
export interface Consent {
  client_id: string;
  user_id: string;
  sub_type: SubType;
  scopes: Scope[];
  /** The organizations chosen; null is all. */
  organization_ids: string[] | null;
}

/** What is asked for, and the organizations the user belongs to now. */
export interface ConsentQuestion {
  scopes: readonly Scope[];
  sub_type: SubType;
  /** The organization asked for by id, if one was. */
  sub: string | undefined;
  memberships: readonly string[];
}

/** Whether an earlier consent answers the question, so that the user need not be asked again. */
export function isAnswered(
  consent: Consent | undefined,
  { scopes, sub_type, sub, memberships }: ConsentQuestion,
): boolean {
  if (!consent || !isCovered(scopes, consent.scopes)) return false;
  if (sub_type === 'user') return true;
  const [organization] = consent.organization_ids ?? [];
  return (
    organization !== undefined && memberships.includes(organization) && (sub ?? organization) === organization
  );
}

/** Consent grows while the organizations stay the same, and starts anew with others. */
export function mergeConsent(before: Consent | undefined, given: Consent): Consent {
  const key = (consent: Consent) => consent.organization_ids?.toSorted().join() ?? 'all';
  if (!before || key(before) !== key(given)) return given;
  return { ...given, scopes: [...new Set([...before.scopes, ...given.scopes])] };
}
