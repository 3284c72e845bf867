import type { Sql } from '../sql.ts';

/** What some events name: organizations, customers and members by id, customers by the integrator's ids. */
export interface Wanted {
  organizations: readonly string[];
  customers: readonly string[];
  members: readonly string[];
  external: readonly { organization_id: string; external_id: string }[];
}

/** What an ingest must know of its organizations and customers, as it is until the transaction ends. */
export interface Surroundings {
  organizations: OrganizationState[];
  /** Customers asked for by id that exist. */
  customers: { id: string; organization_id: string }[];
  members: { id: string; customer_id: string }[];
  /** Customers that external ids mean now. */
  external: { organization_id: string; external_id: string; customer_id: string | null }[];
}

export interface OrganizationState {
  organization_id: string;
  meters_version: number;
  ids_after_ms: number;
  has_pending: boolean;
}

const SURROUNDINGS = `
  select
    coalesce((
      select jsonb_agg(jsonb_build_object(
        'organization_id', wanted.id,
        'meters_version', coalesce(organization.meters_version, 0),
        'ids_after_ms', coalesce(organization.ids_after_ms, 0),
        'has_pending', exists (select from pending_parents where organization_id = wanted.id)))
      from unnest($1::uuid[]) as wanted(id)
      left join metered_organizations organization on organization.organization_id = wanted.id
    ), '[]') as organizations,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', customer.id, 'organization_id', customer.organization_id))
      from customers_replica customer
      where customer.id = any($2::uuid[]) and customer.value is not null and customer.value ->> 'deleted_at' is null
    ), '[]') as customers,
    coalesce((
      select jsonb_agg(jsonb_build_object('id', member.id, 'customer_id', member.value ->> 'customer_id'))
      from members_replica member
      where member.id = any($3::uuid[]) and member.value is not null
    ), '[]') as members,
    coalesce((
      select jsonb_agg(jsonb_build_object('organization_id', wanted.organization_id, 'external_id', wanted.external_id,
        'customer_id', named.customer_id))
      from unnest($4::uuid[], $5::text[]) as wanted(organization_id, external_id)
      left join customer_external_ids named on named.organization_id = wanted.organization_id
        and named.external_id = wanted.external_id and named.is_current
    ), '[]') as external`;

export async function readSurroundings(sql: Sql, wanted: Wanted): Promise<Surroundings> {
  const [found] = await sql.query<Surroundings>('surroundings', SURROUNDINGS, [
    wanted.organizations,
    wanted.customers,
    wanted.members,
    wanted.external.map((pair) => pair.organization_id),
    wanted.external.map((pair) => pair.external_id),
  ]);
  return found!;
}
