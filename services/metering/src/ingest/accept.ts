import { newId } from '@tributary/proto/id.ts';
import type { IngestedEvent } from './event-input.ts';
import { nameKey } from './name-key.ts';
import type { Surroundings, Wanted } from './surroundings-store.ts';
import { inSlices, SLICE } from './turns.ts';

/** An event that names a customer or member who is not here. */
export interface Unknown {
  /** Place in its request. */
  index: number;
  field: 'customer_id' | 'member_id';
}

/** What became of one request. */
export type Outcome =
  | { inserted: number; duplicates: number }
  /** Nothing of it was stored. */
  | { unknown: Unknown[] };

/** What must be known before the requests' events can be stored. */
export async function wantedBy(requests: readonly (readonly IngestedEvent[])[]): Promise<Wanted> {
  const organizations = new Set<string>();
  const customers = new Set<string>();
  const members = new Set<string>();
  const external = new Map<string, { organization_id: string; external_id: string }>();
  const want = ({ organization_id, customer_id, member_id, external_customer_id }: IngestedEvent) => {
    organizations.add(organization_id);
    if (external_customer_id === null && customer_id !== null) customers.add(customer_id);
    if (member_id !== null) members.add(member_id);
    if (external_customer_id !== null) {
      external.set(nameKey(organization_id, external_customer_id), {
        organization_id,
        external_id: external_customer_id,
      });
    }
  };
  for (const request of requests) await inSlices(request, SLICE, (events) => events.forEach(want));
  return {
    organizations: [...organizations],
    customers: [...customers],
    members: [...members],
    external: [...external.values()],
  };
}

/** Takes what names no strangers, and gives it ids. */
export async function accept(
  requests: readonly (readonly IngestedEvent[])[],
  around: Surroundings,
): Promise<{ accepted: IngestedEvent[]; outcomes: Outcome[] }> {
  const customers = new Map(around.customers.map((customer) => [customer.id, customer.organization_id]));
  const members = new Map(around.members.map((member) => [member.id, member.customer_id]));
  const named = new Map(
    around.external.map((row) => [nameKey(row.organization_id, row.external_id), row.customer_id]),
  );
  const earliest = Math.max(Date.now(), ...around.organizations.map((one) => one.ids_after_ms + 1));
  const accepted: IngestedEvent[] = [];
  const outcomes: Outcome[] = [];
  for (const request of requests) {
    const unknown: Unknown[] = [];
    await inSlices(request, SLICE, (events, start) => {
      for (const [place, event] of events.entries()) {
        const field = unknownIn(event, customers, members);
        if (field !== undefined) unknown.push({ index: start + place, field });
      }
    });
    outcomes.push(unknown.length > 0 ? { unknown } : { inserted: request.length, duplicates: 0 });
    if (unknown.length > 0) continue;
    await inSlices(request, SLICE, (events) => {
      for (const event of events) {
        place(event, named, earliest);
        accepted.push(event);
      }
    });
  }
  return { accepted, outcomes };
}

function unknownIn(
  event: IngestedEvent,
  customers: ReadonlyMap<string, string>,
  members: ReadonlyMap<string, string>,
): Unknown['field'] | undefined {
  if (event.external_customer_id !== null || event.customer_id === null) return undefined;
  if (customers.get(event.customer_id) !== event.organization_id) return 'customer_id';
  if (event.member_id === null || members.get(event.member_id) === event.customer_id) return undefined;
  return 'member_id';
}

/** Gives an event its id and, by the external id, its customer. A second try of the request does the same anew. */
function place(event: IngestedEvent, named: ReadonlyMap<string, string | null>, earliest: number): void {
  const { organization_id, external_customer_id } = event;
  event.id = newId(earliest);
  event.parent = null;
  if (external_customer_id === null) return;
  event.customer_id = named.get(nameKey(organization_id, external_customer_id)) ?? null;
}
