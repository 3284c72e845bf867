import { idOf, type Seeder, timeOf } from './seed-table.ts';

const MEMBERSHIPS = 50;

/** A million organizations, of which the user is in fifty and in those its own. */
export async function seedIdentity(seeder: Seeder): Promise<void> {
  const { rows, fill, query, userId } = seeder;
  await fill('organizations', {
    id: idOf('organization', rows),
    created_at: timeOf(rows),
    name: `'Organization ' || md5(i::text)`,
    slug: `'organization-' || i`,
    status_changed_at: timeOf(rows),
    next_review_threshold: 'seed.pick(i, 100000)',
  });
  await query(`insert into memberships (user_id, organization_id, role, created_at)
    select '${userId}', ${idOf('organization', rows)}, 'owner', now() from generate_series(0, ${MEMBERSHIPS - 1}) i`);
}
