import {
  CatalogService,
  type GivenPrices,
  type MakePricesReply,
} from '@tributary/proto/gen/catalog/v1/catalog.ts';
import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { type Provided, provide } from '@tributary/runtime/grpc/server.ts';
import { parseJson } from '@tributary/runtime/http/body.ts';
import { BadRequest, Problem } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import type { App } from './app.ts';
import { loadGrants } from './benefit-grants/load-grants.flow.ts';
import { presentGrant } from './benefit-grants/present.ts';
import { grantsById } from './benefit-grants/store.ts';
import { presentBenefit } from './benefits/present.ts';
import { benefitsById } from './benefits/store.ts';
import { loadProducts } from './products/load-products.flow.ts';
import { makePrices } from './products/make-prices.flow.ts';
import { presentProduct } from './products/present.ts';
import { productsById } from './products/store.ts';

const MAX_IDS = 100;
const Ids = z.array(z.uuid()).max(MAX_IDS);

function idsAsked(ids: readonly string[]): string[] {
  const valid = Ids.safeParse(ids);
  if (!valid.success) throw new Problem(BadRequest, `At most ${MAX_IDS} ids, each a UUID`);
  return valid.data;
}

type Read = (reader: Reader, ids: string[], app: App) => Promise<{ id: string }[]>;

/** What other services may ask for, as the HTTP API presents it. */
const resources: Readonly<Record<string, Read>> = {
  async products(reader, ids, { links }) {
    const views = await loadProducts(reader, await productsById(reader, ids));
    return views.map((view) => presentProduct(view, links));
  },
  async benefits(reader, ids) {
    const found = [...(await benefitsById(reader, ids)).values()];
    return found.filter((benefit) => benefit.deleted_at === null).map(presentBenefit);
  },
  async benefit_grants(reader, ids) {
    return (await loadGrants(reader, await grantsById(reader, ids))).map(presentGrant);
  },
};

async function pricesAsked(app: App, asked: readonly GivenPrices[]): Promise<MakePricesReply> {
  const ids = idsAsked(asked.map(({ product_id }) => product_id));
  const products = new Map((await productsById(app.db.manager, ids)).map((found) => [found.id, found]));
  const reply: MakePricesReply = { products: [], faults: [] };
  for (const { product_id, prices: wanted } of asked) {
    const product = products.get(product_id);
    if (!product) throw new Problem(BadRequest, `The catalog has no product ${product_id}`);
    const { prices, issues } = await makePrices(app, product, parseJson(wanted), app.clock.now());
    reply.products.push({ product_id, prices });
    for (const { loc, msg, type, input } of issues)
      reply.faults.push({ product_id, path: loc, msg, type, input });
  }
  return reply.faults.length > 0 ? { products: [], faults: reply.faults } : reply;
}

export const grpcServices = (app: App): Provided[] => [
  provide(
    CatalogService,
    { makePrices: ({ products }) => pricesAsked(app, products) },
    'catalog/v1/catalog.proto',
  ),
  provide(
    ResourcesService,
    {
      async getResources({ resource, ids }) {
        const read = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
        if (!read) throw new Problem(BadRequest, `The catalog has no resource ${resource}`);
        const found = await read(app.db.manager, idsAsked(ids), app);
        return { resources: found.map((value) => ({ id: value.id, value })) };
      },
    },
    'resources/v1/resources.proto',
  ),
];
