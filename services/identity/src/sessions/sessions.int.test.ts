import { stateTopics } from '@tributary/proto/events/topics.ts';
import { newId } from '@tributary/proto/id.ts';
import { type IdentityUnderTest, identityUnderTest } from '../testing/identity.ts';
import { createSession } from './session-calls.flow.ts';
import { forgetExpiredSessions } from './store.ts';

let identity: IdentityUnderTest;
beforeAll(async () => {
  identity = await identityUnderTest();
});
afterAll(() => identity?.stop());

const organization_id = newId();
const isLive = async (token: string) => (await identity.callerOf(token)) !== undefined;
const tell = (topic: { name: string }, key: string, value: object | null) =>
  identity.deliver({ topic: topic.name, type: 'changed', key, value });

async function sessions() {
  const [customer_id, member_id] = [newId(), newId()];
  const customer = await createSession(identity.app, { organization_id, customer_id });
  const member = await createSession(identity.app, {
    organization_id,
    customer_id,
    member_id,
    member_role: 'billing_manager',
  });
  return { customer_id, member_id, customer: customer.token, member: member.token, memberSession: member.id };
}

test.each([
  ['deleted', { deleted_at: '2026-01-15T12:00:00Z' }],
  ['gone', null],
])('a customer who is %s is let in no longer', async (_, value) => {
  const { customer_id, customer, member } = await sessions();
  await tell(stateTopics.customers, customer_id, { deleted_at: null });
  expect([await isLive(customer), await isLive(member)]).toEqual([true, true]);
  await tell(stateTopics.customers, customer_id, value);
  expect([await isLive(customer), await isLive(member)]).toEqual([false, false]);
});

test('a member who is gone is let in no longer; the customer is', async () => {
  const { member_id, customer, member } = await sessions();
  await tell(stateTopics.members, member_id, null);
  expect([await isLive(customer), await isLive(member)]).toEqual([true, false]);
});

test('a session has the role that its member has now, and who keeps the former one is told', async () => {
  const { member_id, member, memberSession } = await sessions();
  await tell(stateTopics.members, member_id, { role: 'member' });
  expect(await identity.callerOf(member)).toMatchObject({ role: 'member' });
  const told = (await identity.outbox()).filter(({ topic }) => topic === 'tributary.tokens');
  expect(told.at(-1)!.value).toEqual({ token_id: memberSession });
  await tell(stateTopics.members, member_id, { role: 'member' });
  expect((await identity.outbox()).filter(({ topic }) => topic === 'tributary.tokens')).toHaveLength(
    told.length,
  );
});

test('sessions past their hour are forgotten', async () => {
  await sessions();
  identity.clock.advance({ hours: 2 });
  expect(await forgetExpiredSessions(identity.app.db, identity.clock.now())).toBe(false);
  expect(await identity.app.db.query('select 1 from sessions')).toEqual([]);
});
