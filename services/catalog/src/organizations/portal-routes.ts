import { anonymous } from '@tributary/proto/access.ts';
import { notFound, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { readPublicProducts } from '../products/load-products.flow.ts';
import { presentCustomerProduct } from '../products/present.ts';
import { presentCustomerOrganization } from './present.ts';
import { CustomerOrganizationData } from './schema.ts';
import { organizationBySlug } from './store.ts';

export const portalOrganizationRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/organizations/{slug}',
    operation: 'customer_portal:organizations:get',
    summary: 'Read an organization and what it sells',
    access: anonymous,
    params: z.object({ slug: z.string().max(255) }),
    response: CustomerOrganizationData,
    problems: [ResourceNotFound],
    handle: async ({ params: { slug } }, { db, links }) => {
      const organization = await organizationBySlug(db.manager, slug);
      if (!organization) throw notFound('Organization not found');
      const products = await readPublicProducts(db.manager, organization.id);
      return {
        organization: presentCustomerOrganization(organization),
        products: products.map((view) => presentCustomerProduct(view, links)),
      };
    },
  }),
];
