import type { OutgoingMessage } from '@tributary/proto/events/message.ts';
import { nullable, recorded, text, timestamp, uuid } from '@tributary/runtime/db/columns.ts';
import { pageOf } from '@tributary/runtime/db/list.ts';
import { type Reader, type Tx, violatedConstraint } from '@tributary/runtime/db/transaction.ts';
import type { Page, Paging, SortCriterion } from '@tributary/runtime/http/paging.ts';
import { invalid, notFound } from '@tributary/runtime/http/problem.ts';
import { emit } from '@tributary/runtime/messaging/outbox.ts';
import { EntitySchema } from 'typeorm';
import { PLACEHOLDER_DOMAIN } from '../customers/customer.ts';
import type { Member, MemberRole } from './member.ts';

export const members = new EntitySchema<Member>({
  name: 'members',
  columns: {
    ...recorded,
    organization_id: uuid,
    customer_id: uuid,
    deleted_at: nullable(timestamp),
    email: text,
    name: nullable(text),
    external_id: nullable(text),
    role: text,
  },
});

export interface MemberQuery extends Paging {
  sorting: SortCriterion<'created_at'>[];
  customer_id?: string;
  external_customer_id?: string;
  role?: MemberRole;
}

export function listMembers(
  reader: Reader,
  organizationIds: readonly string[],
  query: MemberQuery,
): Promise<Page<Member>> {
  const builder = live(reader);
  if (query.customer_id) builder.andWhere('member.customer_id = :customer_id', query);
  if (query.role) builder.andWhere('member.role = :role', query);
  if (query.external_customer_id !== undefined) {
    builder.andWhere(
      `member.customer_id in (select customer.id from customers customer
         where customer.organization_id = any(:organizationIds) and customer.deleted_at is null
           and customer.external_id = :external_customer_id)`,
      { ...query, organizationIds },
    );
  }
  const columns = { created_at: 'member.created_at' };
  return pageOf(builder, query, query.sorting, columns, { organizations: organizationIds });
}

const live = (reader: Reader) =>
  reader.getRepository(members).createQueryBuilder('member').where('member.deleted_at is null');

/** How a caller names a member of a customer. */
export type MemberReference = { id: string } | { external_id: string };

/** The customer's live member, or undefined. */
export async function findMember(
  reader: Reader,
  customerId: string,
  reference: MemberReference | { email: string } | { role: 'owner' },
): Promise<Member | undefined> {
  const builder = live(reader).andWhere('member.customer_id = :customerId', { customerId });
  if ('id' in reference) builder.andWhere('member.id = :id', reference);
  else if ('external_id' in reference) builder.andWhere('member.external_id = :external_id', reference);
  else if ('email' in reference) builder.andWhere('lower(member.email) = lower(:email)', reference);
  else builder.andWhere('member.role = :role', reference);
  return (await builder.getOne()) ?? undefined;
}

/** The customer's live member, or a 404. */
export async function getMember(
  reader: Reader,
  customerId: string,
  reference: MemberReference,
): Promise<Member> {
  const member = await findMember(reader, customerId, reference);
  if (!member) throw notFound('Member not found');
  return member;
}

/** Every live member of a customer. */
export const membersOf = (reader: Reader, customerId: string): Promise<Member[]> =>
  live(reader).andWhere('member.customer_id = :customerId', { customerId }).getMany();

export function membersById(reader: Reader, ids: readonly string[]): Promise<Member[]> {
  return live(reader).andWhere('member.id = any(:ids)', { ids }).getMany();
}

export async function insertMember(tx: Tx, member: Member, messages: OutgoingMessage[]): Promise<void> {
  await refusingDuplicates(member, () => tx.getRepository(members).insert(member));
  await emit(tx, messages);
}

/** Writes members of one customer, whose row is locked. */
export async function saveMember(tx: Tx, member: Member, messages: OutgoingMessage[]): Promise<void> {
  const { id, ...columns } = member;
  await refusingDuplicates(member, () => tx.getRepository(members).update(id, columns));
  await emit(tx, messages);
}

/** Takes the persons out of the records of a customer's former members; those already taken out stay as they are. */
export async function anonymizeMembersOf(tx: Pick<Tx, 'query'>, customerId: string): Promise<void> {
  await tx.query(
    `update members set
       email = encode(sha256(convert_to(lower(email), 'utf8')), 'hex') || '@' || $2,
       name = encode(sha256(convert_to(name, 'utf8')), 'hex'),
       external_id = null
     where customer_id = $1 and deleted_at is not null and email not like '%@' || $2`,
    [customerId, PLACEHOLDER_DOMAIN],
  );
}

async function refusingDuplicates(member: Member, write: () => Promise<unknown>): Promise<void> {
  try {
    await write();
  } catch (error) {
    switch (violatedConstraint(error)) {
      case 'members_email':
        throw invalid(
          ['body', 'email'],
          'A member with this email already exists.',
          'value_error',
          member.email,
        );
      case 'members_external_id':
        throw invalid(
          ['body', 'external_id'],
          'A member with this external ID already exists.',
          'value_error',
          member.external_id,
        );
      default:
        throw error;
    }
  }
}
