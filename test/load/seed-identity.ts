import { idOf, type Seeder, timeOf } from './seed-table.ts';

const MEMBERSHIPS = 50;

/** As many organizations, of which the user is in fifty and in all those that own other records. */
export async function seedIdentity(seeder: Seeder): Promise<void> {
  const { rows, fill, query, userId, organizationId } = seeder;
  await fill('organizations', {
    id: idOf('organization', rows),
    created_at: timeOf(rows),
    name: `'Organization ' || seed.word(i)`,
    slug: `'organization-' || i`,
    status_changed_at: timeOf(rows),
    next_review_threshold: 'seed.pick(i, 100000)',
  });
  await fill('organization_access_tokens', {
    ...tokenColumns(rows),
    organization_id: `seed.organization('${organizationId}', i)`,
  });
  await fill('personal_access_tokens', { ...tokenColumns(rows), user_id: `'${userId}'` });
  await fill(
    'organizations',
    { id: `seed.organization('${organizationId}', i + 5)`, slug: `'owner-' || i` },
    5,
  );
  await query(`insert into memberships (user_id, organization_id, role, created_at)
    select '${userId}', seed.organization('${organizationId}', i + 5), 'owner', now() from generate_series(0, 4) i`);
  await query(`insert into memberships (user_id, organization_id, role, created_at)
    select '${userId}', ${idOf('organization', rows)}, 'owner', now() from generate_series(0, ${MEMBERSHIPS - 1}) i`);
}

const tokenColumns = (rows: number) => ({
  id: idOf('token', rows),
  created_at: timeOf(rows),
  token_hash: `md5(i::text)`,
  comment: `'Token ' || seed.word(i)`,
  expires_at: `case when seed.pick(i, 2) = 0 then now() + interval '1 s' * i end`,
  last_used_at: `case when seed.pick(i, 3) = 0 then ${timeOf(rows)} end`,
});
