import type {
  CreateSessionRequest,
  Session as SessionMessage,
} from '@tributary/proto/gen/identity/v1/identity.ts';
import { newId } from '@tributary/proto/id.ts';
import { memberRoles } from '@tributary/proto/principal.ts';
import { inTransaction } from '@tributary/runtime/db/transaction.ts';
import { BadRequest, notFound, Problem } from '@tributary/runtime/http/problem.ts';
import { hashToken, mintToken } from '@tributary/runtime/token.ts';
import { z } from 'zod';
import type { App } from '../app.ts';
import { CUSTOMER_SESSION_PREFIX, MEMBER_SESSION_PREFIX, type Session, sessionEnd } from './session.ts';
import { endSessions, findSession, insertSession } from './store.ts';

const Request = z.object({
  organization_id: z.uuid(),
  customer_id: z.uuid(),
  member_id: z.uuid().optional(),
  member_role: z.enum(memberRoles).optional(),
  return_url: z.string().max(2083).optional(),
});

const Ids = z.object({ customer_id: z.uuid(), member_id: z.uuid().optional() });

/** Lets a customer or a member in for an hour; the caller has checked that they exist. */
export async function createSession(app: App, request: CreateSessionRequest): Promise<SessionMessage> {
  const input = valid(Request, request);
  if ((input.member_id === undefined) !== (input.member_role === undefined)) {
    throw new Problem(BadRequest, 'A member session needs the id and the role of the member.');
  }
  const now = app.clock.now();
  const token = mintToken(input.member_id ? MEMBER_SESSION_PREFIX : CUSTOMER_SESSION_PREFIX);
  const session: Session = {
    id: newId(),
    organization_id: input.organization_id,
    customer_id: input.customer_id,
    member_id: input.member_id ?? null,
    member_role: input.member_role ?? null,
    return_url: input.return_url ?? null,
    expires_at: sessionEnd(now),
  };
  await insertSession(app.db, session, hashToken(token, app.tokenSecret), now);
  return { ...present(session), token };
}

/** @throws Problem 404 when the session has ended */
export async function readSession(app: App, id: string): Promise<SessionMessage> {
  const session = await findSession(app.db, valid(z.uuid(), id), app.clock.now());
  if (!session) throw notFound('The session has ended.');
  return present(session);
}

export async function endSessionsOf(app: App, customerId: string, memberId?: string): Promise<void> {
  const ids = valid(Ids, { customer_id: customerId, member_id: memberId });
  await inTransaction(app.db, (tx) => endSessions(tx, ids));
}

const present = (session: Session): SessionMessage => ({
  id: session.id,
  token: '',
  expires_at: session.expires_at,
  return_url: session.return_url ?? undefined,
});

function valid<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new Problem(BadRequest, z.prettifyError(result.error));
  return result.data;
}
