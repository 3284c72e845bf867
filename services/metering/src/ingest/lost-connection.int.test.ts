import { newId } from '@tributary/proto/id.ts';
import { createWorld, type World } from '../testing/world.ts';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world?.stop());

const event = () => ({ name: 'api_call', external_customer_id: 'nobody', external_id: newId() });

test('a connection that is lost in the middle of a request fails this request alone', async () => {
  const { db } = world.app;
  const waiting = `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  let isAnswered = false;
  const lost = await db.transaction(async (tx) => {
    await tx.query('lock table event_external_ids in share mode');
    const answer = world.service.request('POST', '/v1/events/ingest', {
      as: world.merchant,
      body: { events: [event()] },
    });
    void answer.finally(() => {
      isAnswered = true;
    });
    while (!isAnswered) {
      // What the view shows is otherwise kept to the end of the transaction.
      await tx.query('select pg_stat_clear_snapshot()');
      await tx.query(`select pg_terminate_backend(pid) from (${waiting}) session`);
    }
    return answer;
  });
  expect(lost.status).toBe(503);
  expect(await world.ingest([event()])).toEqual({ inserted: 1, duplicates: 0 });
});
