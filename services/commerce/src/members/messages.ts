import {
  type OutgoingMessage,
  stateChanged,
  stateDeleted,
  webhookEvent,
} from '@tributary/proto/events/message.ts';
import type { Member } from './member.ts';
import { presentMember, presentMemberState } from './present.ts';

export const memberCreated = (member: Member, now: Date): OutgoingMessage[] =>
  told('member.created', member, now);

export const memberUpdated = (member: Member, now: Date): OutgoingMessage[] =>
  told('member.updated', member, now);

export const memberDeleted = (member: Member, now: Date): OutgoingMessage[] => [
  webhookEvent('member.deleted', member.organization_id, presentMember(member), now),
  stateDeleted('members', member.id),
];

function told(type: 'member.created' | 'member.updated', member: Member, now: Date): OutgoingMessage[] {
  return [
    webhookEvent(type, member.organization_id, presentMember(member), now),
    stateChanged('members', member.id, presentMemberState(member)),
  ];
}
