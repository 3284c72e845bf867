import { merchant } from '@tributary/proto/access.ts';
import { listOf, pagingShape, presentPage, sortedBy } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import { Id, MetadataQuery, many, QueryBoolean, SearchText } from '@tributary/runtime/http/wire.ts';
import { owningOrganization, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { reachable } from '../scope.ts';
import { readSurroundings } from './check-product.flow.ts';
import { loadProduct, loadProducts } from './load-products.flow.ts';
import { presentProduct } from './present.ts';
import { changeBenefits } from './product-benefits.flow.ts';
import { changeProduct, createProduct } from './save-product.flow.ts';
import { Product, ProductBenefitsUpdate, ProductCreate, ProductUpdate, ProductVisibility } from './schema.ts';
import { getProduct, listProducts, productSortKeys } from './store.ts';

const params = z.object({ id: Id });
const readers = merchant('products:read', 'products:write');
const writers = merchant('products:write');

export const productRoutes = [
  route({
    method: 'GET',
    path: '/v1/products/',
    operation: 'products:list',
    summary: 'List products',
    access: readers,
    query: z.object({
      ...pagingShape,
      sorting: sortedBy('ProductSortProperty', productSortKeys, ['-created_at']),
      id: many(Id),
      organization_id: many(Id),
      query: SearchText,
      is_archived: QueryBoolean.optional(),
      is_recurring: QueryBoolean.optional(),
      benefit_id: many(Id),
      visibility: many(ProductVisibility),
      metadata: MetadataQuery,
    }),
    response: listOf(Product),
    handle: async ({ query, principal }, { db, links }) => {
      const { items, total } = await listProducts(
        db.manager,
        reachable(principal, query.organization_id),
        query,
      );
      const views = await loadProducts(db.manager, items);
      return presentPage({ items: views, total }, query, (view) => presentProduct(view, links));
    },
  }),
  route({
    method: 'POST',
    path: '/v1/products/',
    operation: 'products:create',
    summary: 'Create a product',
    access: writers,
    status: 201,
    body: ProductCreate,
    response: Product,
    handle: async ({ principal, body, now, transaction }, app) => {
      const organizationId = owningOrganization(principal, body.organization_id);
      requireAdministrator(principal, organizationId);
      const surroundings = await readSurroundings(app, organizationId, body.prices);
      return transaction((tx) => createProduct(tx, organizationId, body, surroundings, app.links, now));
    },
  }),
  route({
    method: 'GET',
    path: '/v1/products/{id}',
    operation: 'products:get',
    summary: 'Read a product',
    access: readers,
    params,
    response: Product,
    problems: [ResourceNotFound],
    handle: async ({ params: { id }, principal }, { db, links }) => {
      const product = await getProduct(db.manager, reachable(principal), id);
      return presentProduct(await loadProduct(db.manager, product), links);
    },
  }),
  route({
    method: 'PATCH',
    path: '/v1/products/{id}',
    operation: 'products:update',
    summary: 'Update a product',
    access: writers,
    params,
    body: ProductUpdate,
    response: Product,
    problems: [NotPermitted, ResourceNotFound],
    handle: async ({ params: { id }, principal, body, now, transaction }, app) => {
      const { organization_id } = await getProduct(app.db.manager, reachable(principal), id);
      requireAdministrator(principal, organization_id);
      const surroundings = await readSurroundings(app, organization_id, body.prices ?? []);
      return transaction(async (tx) => {
        const product = await getProduct(tx, [organization_id], id, true);
        return changeProduct(tx, product, body, surroundings, app.links, now);
      });
    },
  }),
  route({
    method: 'POST',
    path: '/v1/products/{id}/benefits',
    operation: 'products:update_benefits',
    summary: 'Set the benefits of a product',
    access: writers,
    params,
    body: ProductBenefitsUpdate,
    response: Product,
    problems: [NotPermitted, ResourceNotFound],
    handle: ({ params: { id }, principal, body, now, transaction }, { links }) =>
      transaction(async (tx) => {
        const product = await getProduct(tx, reachable(principal), id, true);
        requireAdministrator(principal, product.organization_id);
        return changeBenefits(tx, product, body.benefits, links, now);
      }),
  }),
];
