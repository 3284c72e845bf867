import { portal } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { listOf, pagingShape } from '@tributary/runtime/http/paging.ts';
import { NotPermitted, ResourceNotFound, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { portalPrincipal, requireBillingRole } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import { FeatureNotEnabled, SeatNotPending } from '../problems.ts';
import { CustomerSubscription } from '../subscriptions/schema.ts';
import { assignSeat } from './assign-seat.flow.ts';
import { resendInvitation, revokeSeat } from './change-seat.flow.ts';
import { containerInQuery } from './container-reference.ts';
import { showClaimedSubscriptions } from './list-claimed-subscriptions.flow.ts';
import { listSeats } from './list-seats.flow.ts';
import { seatAssignmentProblems, seatOrder, seatParams, seatQuery } from './routes.ts';
import { CustomerSeatAssign, CustomerSeatShape, SeatsList } from './schema.ts';
import type { SeatScope } from './store.ts';

/** Who bought seats manages them: the customer, or a member who handles its billing. */
const scopeOf = (principal: Principal): SeatScope => ({ buyerId: requireBillingRole(principal).customer_id });

export const customerSeatPortalRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-portal/seats',
    operation: 'customer_portal:seats:list_seats',
    summary: "List the seats of one of the customer's purchases",
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: seatQuery,
    response: SeatsList,
    problems: [Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: async ({ principal, query }, app) => listSeats(app, scopeOf(principal), containerInQuery(query)),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/seats',
    operation: 'customer_portal:seats:assign_seat',
    summary: "Give somebody a seat of one of the customer's purchases",
    access: portal('customer_portal:write'),
    body: CustomerSeatAssign,
    response: CustomerSeatShape,
    problems: [...seatAssignmentProblems, Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: async (call, app) => assignSeat(app, call, scopeOf(call.principal), seatOrder(call.body)),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customer-portal/seats/{seat_id}',
    operation: 'customer_portal:seats:revoke_seat',
    summary: 'Take a seat away',
    access: portal('customer_portal:write'),
    params: seatParams,
    response: CustomerSeatShape,
    problems: [Unauthorized, NotPermitted, ResourceNotFound],
    handle: async (call, app) => revokeSeat(app, call, scopeOf(call.principal), call.params.seat_id),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-portal/seats/{seat_id}/resend',
    operation: 'customer_portal:seats:resend_invitation',
    summary: 'Send a new invitation to a seat',
    access: portal('customer_portal:write'),
    params: seatParams,
    response: CustomerSeatShape,
    problems: [SeatNotPending, Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: async (call, app) => resendInvitation(app, call, scopeOf(call.principal), call.params.seat_id),
  }),
  route({
    method: 'GET',
    path: '/v1/customer-portal/seats/subscriptions',
    operation: 'customer_portal:seats:list_claimed_subscriptions',
    summary: 'List the subscriptions on which the caller has claimed a seat',
    access: portal('customer_portal:read', 'customer_portal:write'),
    query: z.object(pagingShape),
    response: listOf(CustomerSubscription),
    problems: [Unauthorized],
    handle: ({ principal, query }, app) => {
      const caller = portalPrincipal(principal);
      const member_id = caller.kind === 'member' ? caller.member_id : null;
      return showClaimedSubscriptions(app, { customer_id: caller.customer_id, member_id }, query);
    },
  }),
];
