import { anonymous, merchant } from '@tributary/proto/access.ts';
import type { Principal } from '@tributary/proto/principal.ts';
import { NotPermitted, ResourceNotFound, Unauthorized } from '@tributary/runtime/http/problem.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { organizationsOf, requireAdministrator } from '@tributary/runtime/principal.ts';
import { z } from 'zod';
import { route } from '../app.ts';
import {
  FeatureNotEnabled,
  InvalidInvitationToken,
  InvalidSeatAssignmentRequest,
  MemberEmailMismatch,
  SeatAlreadyAssigned,
  SeatNotAvailable,
  SeatNotPending,
} from '../problems.ts';
import { assignSeat, type SeatOrder } from './assign-seat.flow.ts';
import { resendInvitation, revokeSeat } from './change-seat.flow.ts';
import { claimSeat, readInvitation } from './claim-seat.flow.ts';
import { containerInBody, containerInQuery } from './container-reference.ts';
import { listSeats } from './list-seats.flow.ts';
import {
  CustomerSeatClaimResponse,
  CustomerSeatShape,
  invitationParams,
  SeatAssign,
  SeatClaim,
  SeatClaimInfo,
  SeatsList,
} from './schema.ts';
import type { SeatScope } from './store.ts';

export const seatParams = z.object({ seat_id: Id });
export const seatQuery = z.object({ subscription_id: Id.optional(), order_id: Id.optional() });

/** What giving a seat away may be refused with. */
export const seatAssignmentProblems = [
  InvalidSeatAssignmentRequest,
  MemberEmailMismatch,
  SeatAlreadyAssigned,
  SeatNotAvailable,
] as const;

const scopeOf = (principal: Principal): SeatScope => ({ organizationIds: organizationsOf(principal) });

/** Only administrators of an organization give seats away or take them. */
const administered = (principal: Principal): SeatScope => {
  for (const id of organizationsOf(principal)) requireAdministrator(principal, id);
  return scopeOf(principal);
};

export const customerSeatRoutes = [
  route({
    method: 'GET',
    path: '/v1/customer-seats',
    operation: 'customer-seats:list_seats',
    summary: 'List the seats of a subscription or order',
    access: merchant('customer_seats:read'),
    query: seatQuery,
    response: SeatsList,
    problems: [Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: ({ principal, query }, app) => listSeats(app, scopeOf(principal), containerInQuery(query)),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-seats',
    operation: 'customer-seats:assign_seat',
    summary: 'Give somebody a seat',
    access: merchant('customer_seats:write'),
    body: SeatAssign,
    response: CustomerSeatShape,
    problems: [...seatAssignmentProblems, Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: (call, app) => assignSeat(app, call, administered(call.principal), seatOrder(call.body)),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customer-seats/{seat_id}',
    operation: 'customer-seats:revoke_seat',
    summary: 'Take a seat away',
    access: merchant('customer_seats:write'),
    params: seatParams,
    response: CustomerSeatShape,
    problems: [Unauthorized, NotPermitted, ResourceNotFound],
    handle: (call, app) => revokeSeat(app, call, administered(call.principal), call.params.seat_id),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-seats/{seat_id}/resend',
    operation: 'customer-seats:resend_invitation',
    summary: 'Send a new invitation to a seat',
    access: merchant('customer_seats:write'),
    params: seatParams,
    response: CustomerSeatShape,
    problems: [SeatNotPending, Unauthorized, NotPermitted, FeatureNotEnabled, ResourceNotFound],
    handle: (call, app) => resendInvitation(app, call, administered(call.principal), call.params.seat_id),
  }),
  route({
    method: 'GET',
    path: '/v1/customer-seats/claim/{invitation_token}',
    operation: 'customer-seats:get_claim_info',
    summary: 'Read what an invitation is for',
    access: anonymous,
    params: invitationParams,
    response: SeatClaimInfo,
    problems: [InvalidInvitationToken, FeatureNotEnabled, ResourceNotFound],
    handle: ({ params, now }, app) => readInvitation(app, params.invitation_token, now),
  }),
  route({
    method: 'POST',
    path: '/v1/customer-seats/claim',
    operation: 'customer-seats:claim_seat',
    summary: 'Take up an invitation to a seat',
    access: anonymous,
    body: SeatClaim,
    response: CustomerSeatClaimResponse,
    problems: [InvalidInvitationToken, FeatureNotEnabled],
    handle: (call, app) => claimSeat(app, call, call.body.invitation_token),
  }),
];

/** A body as an order to give a seat away; an absent name counts as none. */
export const seatOrder = (
  body: z.output<typeof SeatAssign> & { checkout_id?: string | null },
): SeatOrder => ({
  container: containerInBody(body),
  email: body.email ?? null,
  customer_id: body.customer_id ?? null,
  external_customer_id: body.external_customer_id ?? null,
  member_id: body.member_id ?? null,
  external_member_id: body.external_member_id ?? null,
  metadata: body.metadata ?? null,
  immediate_claim: body.immediate_claim,
});
