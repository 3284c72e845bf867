import type { Principal } from '@tributary/proto/principal.ts';
import { organizationsOf, portalPrincipal } from '@tributary/runtime/principal.ts';

/** The organizations a caller reaches, narrowed by a filter: what is not reached is silently left out. */
export function reachable(principal: Principal, wanted?: readonly string[]): string[] {
  const organizations = organizationsOf(principal);
  return wanted ? organizations.filter((id) => wanted.includes(id)) : organizations;
}

/** Whose benefits a portal caller sees. */
export interface PortalHolder {
  /** `member_id` is null for a customer session, which sees everything of the customer. */
  holder: { customer_id: string; member_id: string | null };
  organizationId: string;
  /** The owner stands for the customer and also sees what no member holds. */
  ofCustomerToo: boolean;
}

export function portalHolder(principal: Principal): PortalHolder {
  const caller = portalPrincipal(principal);
  const isMember = caller.kind === 'member';
  return {
    holder: { customer_id: caller.customer_id, member_id: isMember ? caller.member_id : null },
    organizationId: caller.organization_id,
    ofCustomerToo: !isMember || caller.role === 'owner',
  };
}
