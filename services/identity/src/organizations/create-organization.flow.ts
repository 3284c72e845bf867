import { tokenRevoked } from '@tributary/proto/events/message.ts';
import { newId } from '@tributary/proto/id.ts';
import type { Tx } from '@tributary/runtime/db/transaction.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { liveTokenIdsOf } from '../introspection/store.ts';
import { saveMembership } from '../memberships/store.ts';
import { type NewOrganization, newOrganization, type Organization } from './organization.ts';
import { insertOrganization } from './store.ts';

export interface OrganizationFounding {
  input: NewOrganization;
  userId: string;
  environment: 'sandbox' | 'production';
  now: Date;
}

/**
 * Makes an organization and its maker its owner. Answers about the maker's tokens that others keep list the
 * organizations of before, so they are told to ask again.
 */
export async function createOrganization(tx: Tx, founding: OrganizationFounding): Promise<Organization> {
  const { input, userId, environment, now } = founding;
  const status = environment === 'sandbox' ? 'active' : 'created';
  const organization = await insertOrganization(tx, newOrganization(newId(), input, status, now));
  await saveMembership(tx, userId, organization.id, 'owner', now);
  const ids = await liveTokenIdsOf(tx, userId, now);
  await emit(
    tx,
    ids.map((id) => tokenRevoked(id)),
  );
  return organization;
}
