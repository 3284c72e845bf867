import type { Session } from '@tributary/proto/gen/identity/v1/identity.ts';
import { invalid } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { requireAdministrator } from '@tributary/runtime/principal.ts';
import type { App } from '../app.ts';
import type { Customer } from '../customers/customer.ts';
import { presentCustomer } from '../customers/present.ts';
import { findCustomers } from '../customers/store.ts';
import type { Member } from '../members/member.ts';
import { findMember } from '../members/store.ts';
import { hasMembers, type OrganizationCopy } from '../organizations/organization.ts';
import { reachable } from '../scope.ts';
import type { CustomerSessionCreate } from './schema.ts';

/** Mints a portal session for a merchant to hand on (domain rules 7.4). */
export async function createSession(call: Call<unknown, unknown, CustomerSessionCreate>, app: App) {
  const { body, principal, now } = call;
  const customer = await readCustomer(app, reachable(principal), body);
  requireAdministrator(principal, customer.organization_id);
  const organizations = await app.replicas.organizations.get(app.db.manager, [customer.organization_id]);
  const organization = organizations.get(customer.organization_id);
  const member = hasMembers(organization) ? await readMember(app, customer, body) : undefined;
  const session = await app.sessions.createSession({
    organization_id: customer.organization_id,
    customer_id: customer.id,
    member_id: member?.id,
    member_role: member?.role,
    return_url: body.return_url ?? undefined,
  });
  return {
    created_at: now.toISOString(),
    modified_at: null,
    id: session.id,
    token: session.token,
    expires_at: session.expires_at!.toISOString(),
    return_url: session.return_url ?? null,
    customer_portal_url: portalUrl(app, organization, session),
    customer_id: customer.id,
    customer: presentCustomer(customer),
  };
}

async function readCustomer(
  app: App,
  organizationIds: string[],
  body: CustomerSessionCreate,
): Promise<Customer> {
  const reference =
    'customer_id' in body ? { id: body.customer_id } : { external_id: body.external_customer_id };
  const [customer, another] = await findCustomers(app.db.manager, organizationIds, reference);
  if (customer && !another) return customer;
  const key = 'customer_id' in body ? 'customer_id' : 'external_customer_id';
  throw invalid(
    ['body', key],
    another ? 'Several customers have this external ID.' : 'Customer does not exist.',
  );
}

/** A team's session is somebody's: who has to be said. An individual customer has one member, its owner. */
async function readMember(
  app: App,
  customer: Customer,
  body: CustomerSessionCreate,
): Promise<Member | undefined> {
  const { member_id, external_member_id } = body;
  const key = member_id == null && external_member_id != null ? 'external_member_id' : 'member_id';
  if (member_id == null && external_member_id == null) {
    if (customer.type === 'individual') return findMember(app.db.manager, customer.id, { role: 'owner' });
    throw invalid(['body', 'member_id'], 'A team customer needs a member for the session.', 'missing');
  }
  const reference = member_id != null ? { id: member_id } : { external_id: external_member_id! };
  const member = await findMember(app.db.manager, customer.id, reference);
  if (member) return member;
  throw invalid(['body', key], 'Member does not exist.');
}

/** The portal with the session in it: whoever has the address is signed in. */
const portalUrl = (app: App, organization: OrganizationCopy | undefined, session: Session): string =>
  `${app.publicUrl}/${organization?.slug ?? 'portal'}/portal?customer_session_token=${session.token}`;
