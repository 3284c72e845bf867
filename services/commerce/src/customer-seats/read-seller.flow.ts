import { notFound, Problem } from '@tributary/runtime/http/problem.ts';
import type { App } from '../app.ts';
import { hasFeature, type OrganizationCopy } from '../organizations/organization.ts';
import { FeatureNotEnabled } from '../problems.ts';
import type { ProductCopy } from '../products/product.ts';
import type { SeatContainer } from './customer-seat.ts';

/** Who sold the seats, and as what. An organization that does not sell by seats is refused (403). */
export async function readSeller(
  app: App,
  { organization_id, product_id }: Pick<SeatContainer, 'organization_id' | 'product_id'>,
): Promise<{ organization: OrganizationCopy; product: ProductCopy }> {
  const { organizations, products } = app.replicas;
  const reader = app.db.manager;
  const organization = (await organizations.get(reader, [organization_id])).get(organization_id);
  const product = (await products.get(reader, [product_id])).get(product_id);
  if (!organization || !product) throw notFound();
  if (!hasFeature(organization, 'seat_based_pricing_enabled')) {
    throw new Problem(FeatureNotEnabled, 'Seat-based pricing is not enabled for this organization.');
  }
  return { organization, product };
}
