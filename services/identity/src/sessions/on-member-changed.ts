import { stateTopics } from '@tributary/proto/events/topics.ts';
import { memberRoles } from '@tributary/proto/principal.ts';
import { z } from 'zod';
import { consumer } from '../app.ts';
import { changeRole, endSessions } from './store.ts';

const Member = z.looseObject({ role: z.enum(memberRoles), deleted_at: z.string().nullish() });

/** A member's sessions follow the member: with the role of now, and not after they are gone. */
export const onMemberChanged = consumer({
  name: 'identity.follow-members-with-sessions',
  topic: stateTopics.members.name,
  schema: Member,
  async handle({ key, value }, tx) {
    if (value === null || value.deleted_at != null) await endSessions(tx, { member_id: key });
    else await changeRole(tx, key, value.role);
  },
});
