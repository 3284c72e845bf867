import { merchant } from '@tributary/proto/access.ts';
import { NotPermitted, ResourceNotFound } from '@tributary/runtime/http/problem.ts';
import type { Call } from '@tributary/runtime/http/route.ts';
import { Id } from '@tributary/runtime/http/wire.ts';
import { z } from 'zod';
import { type App, route } from '../app.ts';
import { AmbiguousExternalCustomerID } from '../problems.ts';
import { addMember, areMembersEnabled } from './add-member.flow.ts';
import { prepareChange, prepareRemoval, removeMemberOf, updateMember } from './change-member.flow.ts';
import type { MemberChange, NewMember } from './member.ts';
import { presentMember } from './present.ts';
import { customerToChange, customerToRead } from './reach-customer.flow.ts';
import { MemberCreateFromCustomer, MemberShape, MemberUpdate } from './schema.ts';
import { getMember, type MemberReference } from './store.ts';

type CustomerReference = Parameters<typeof customerToRead>[2];
type AnyCall<B = unknown> = Call<unknown, unknown, B>;

async function create(call: AnyCall<NewMember>, app: App, reference: CustomerReference) {
  const customer = await customerToChange(app, call.principal, reference);
  const isEnabled = await areMembersEnabled(app, customer.organization_id);
  return call.transaction(async (tx) => {
    const { member } = await addMember(tx, customer, call.body, isEnabled, call.now);
    return presentMember(member);
  });
}

async function read(call: AnyCall, app: App, reference: CustomerReference, named: MemberReference) {
  const customer = await customerToRead(app, call.principal, reference);
  return presentMember(await getMember(app.db.manager, customer.id, named));
}

async function update(
  call: AnyCall<MemberChange>,
  app: App,
  reference: CustomerReference,
  named: MemberReference,
) {
  const customer = await customerToChange(app, call.principal, reference);
  const change = call.body;
  await prepareChange(app, customer.id, named, change, call.now);
  return call.transaction(async (tx) =>
    presentMember(await updateMember(tx, customer.id, named, change, call.now)),
  );
}

async function remove(call: AnyCall, app: App, reference: CustomerReference, named: MemberReference) {
  const customer = await customerToChange(app, call.principal, reference);
  await prepareRemoval(app, customer.id, named, call.now);
  await call.transaction(async (tx) => {
    await removeMemberOf(tx, customer.id, named, call.now);
  });
}

const ofCustomer = z.object({ id: Id });
const ofExternal = z.object({ external_id: z.string() });
const memberOfCustomer = z.object({ id: Id, member_id: z.uuid() });
const memberOfExternal = z.object({ external_id: z.string(), member_external_id: z.string() });

export const customerMemberRoutes = [
  route({
    method: 'POST',
    path: '/v1/customers/{id}/members',
    operation: 'customers:members:create',
    summary: 'Add a member to a customer',
    access: merchant('members:write'),
    status: 201,
    params: ofCustomer,
    body: MemberCreateFromCustomer,
    response: MemberShape,
    problems: [NotPermitted, ResourceNotFound],
    handle: (call, app) => create(call, app, { id: call.params.id }),
  }),
  route({
    method: 'POST',
    path: '/v1/customers/external/{external_id}/members',
    operation: 'customers:members:create_external',
    summary: 'Add a member to a customer by external id',
    access: merchant('members:write'),
    status: 201,
    params: ofExternal,
    body: MemberCreateFromCustomer,
    response: MemberShape,
    problems: [NotPermitted, ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) => create(call, app, { external_id: call.params.external_id }),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/{id}/members/{member_id}',
    operation: 'customers:members:get',
    summary: 'Read a member of a customer',
    access: merchant('members:read', 'members:write'),
    params: memberOfCustomer,
    response: MemberShape,
    problems: [ResourceNotFound],
    handle: (call, app) => read(call, app, { id: call.params.id }, { id: call.params.member_id }),
  }),
  route({
    method: 'GET',
    path: '/v1/customers/external/{external_id}/members/{member_external_id}',
    operation: 'customers:members:get_external',
    summary: 'Read a member of a customer by external ids',
    access: merchant('members:read', 'members:write'),
    params: memberOfExternal,
    response: MemberShape,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) =>
      read(
        call,
        app,
        { external_id: call.params.external_id },
        { external_id: call.params.member_external_id },
      ),
  }),
  route({
    method: 'PATCH',
    path: '/v1/customers/{id}/members/{member_id}',
    operation: 'customers:members:update',
    summary: 'Change a member of a customer',
    access: merchant('members:write'),
    params: memberOfCustomer,
    body: MemberUpdate,
    response: MemberShape,
    problems: [ResourceNotFound],
    handle: (call, app) => update(call, app, { id: call.params.id }, { id: call.params.member_id }),
  }),
  route({
    method: 'PATCH',
    path: '/v1/customers/external/{external_id}/members/{member_external_id}',
    operation: 'customers:members:update_external',
    summary: 'Change a member of a customer by external ids',
    access: merchant('members:write'),
    params: memberOfExternal,
    body: MemberUpdate,
    response: MemberShape,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) =>
      update(
        call,
        app,
        { external_id: call.params.external_id },
        { external_id: call.params.member_external_id },
      ),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customers/{id}/members/{member_id}',
    operation: 'customers:members:delete',
    summary: 'Remove a member from a customer',
    access: merchant('members:write'),
    status: 204,
    params: memberOfCustomer,
    problems: [ResourceNotFound],
    handle: (call, app) => remove(call, app, { id: call.params.id }, { id: call.params.member_id }),
  }),
  route({
    method: 'DELETE',
    path: '/v1/customers/external/{external_id}/members/{member_external_id}',
    operation: 'customers:members:delete_external',
    summary: 'Remove a member from a customer by external ids',
    access: merchant('members:write'),
    status: 204,
    params: memberOfExternal,
    problems: [ResourceNotFound, AmbiguousExternalCustomerID],
    handle: (call, app) =>
      remove(
        call,
        app,
        { external_id: call.params.external_id },
        { external_id: call.params.member_external_id },
      ),
  }),
];
