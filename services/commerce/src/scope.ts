import type { Principal } from '@tributary/proto/principal.ts';
import { organizationsOf } from '@tributary/runtime/principal.ts';

/** The organizations a caller reaches, narrowed by a filter: what is not reached is silently left out. */
export function reachable(principal: Principal, wanted?: readonly string[]): string[] {
  const organizations = organizationsOf(principal);
  return wanted ? organizations.filter((id) => wanted.includes(id)) : organizations;
}
