import type { Reader, Tx } from '@tributary/runtime/db/transaction.ts';
import type { Membership, OrganizationRole } from './membership.ts';

/** The organizations of a user, oldest membership first. */
export const membershipsOf = (db: Pick<Reader, 'query'>, userId: string): Promise<Membership[]> =>
  db.query(
    `select organization_id as id, role from memberships where user_id = $1 order by created_at, organization_id`,
    [userId],
  );

export async function saveMembership(
  tx: Tx,
  userId: string,
  organizationId: string,
  role: OrganizationRole,
  now: Date,
): Promise<void> {
  await tx.query(
    `insert into memberships (user_id, organization_id, role, created_at) values ($1, $2, $3, $4)
     on conflict (user_id, organization_id) do update set role = excluded.role`,
    [userId, organizationId, role, now],
  );
}
