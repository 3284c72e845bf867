import { ResourcesService } from '@tributary/proto/gen/resources/v1/resources.ts';
import type { Reader } from '@tributary/runtime/db/transaction.ts';
import { type Provided, provide } from '@tributary/runtime/grpc/server.ts';
import { BadRequest, Problem } from '@tributary/runtime/http/problem.ts';
import { z } from 'zod';
import type { App } from './app.ts';
import { presentSeatState } from './customer-seats/present.ts';
import { seatsById } from './customer-seats/store.ts';
import { seatViews } from './customer-seats/view-seats.flow.ts';
import { presentCustomer } from './customers/present.ts';
import { customersById } from './customers/store.ts';
import { presentMemberState } from './members/present.ts';
import { membersById } from './members/store.ts';
import { presentOccasion } from './orders/present.ts';
import { ordersAsked } from './orders/store.ts';
import { withParts } from './subscriptions/load-parts.flow.ts';
import { presentSubscriptionState } from './subscriptions/present.ts';
import { subscriptionsById } from './subscriptions/store.ts';

const MAX_IDS = 100;
const Ids = z.array(z.uuid()).max(MAX_IDS);

type Read = (reader: Reader, ids: string[]) => Promise<{ id: string }[]>;

/** What other services may ask for: as it stands on the state topics, or just what an order is for. */
const resources: Readonly<Record<string, Read>> = {
  customers: async (reader, ids) => [...(await customersById(reader, ids)).values()].map(presentCustomer),
  members: async (reader, ids) => (await membersById(reader, ids)).map(presentMemberState),
  async customer_seats(reader, ids) {
    return (await seatViews(reader, await seatsById(reader, ids))).map(presentSeatState);
  },
  orders: async (reader, ids) => (await ordersAsked(reader, ids)).map(presentOccasion),
  async subscriptions(reader, ids) {
    const told = await withParts(reader, [...(await subscriptionsById(reader, ids)).values()]);
    return told.map((parts) => presentSubscriptionState(parts.subscription, parts));
  },
};

export const grpcServices = (app: App): Provided[] => [
  provide(
    ResourcesService,
    {
      async getResources({ resource, ids }) {
        const read = Object.hasOwn(resources, resource) ? resources[resource] : undefined;
        if (!read) throw new Problem(BadRequest, `Commerce has no resource ${resource}`);
        const valid = Ids.safeParse(ids);
        if (!valid.success) throw new Problem(BadRequest, `At most ${MAX_IDS} ids, each a UUID`);
        const found = await read(app.db.manager, valid.data);
        return { resources: found.map((value) => ({ id: value.id, value })) };
      },
    },
    'resources/v1/resources.proto',
  ),
];
