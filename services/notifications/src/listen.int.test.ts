import { createLog } from '@tributary/runtime/log.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { entities, migrations } from './database.ts';
import { listen } from './listen.ts';

const log = createLog({ service: 'test', level: 'silent' });
let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase('notifications', { entities, migrations });
});
afterAll(() => database?.drop());

test('calls back on a notification, and after a lost connection was made again', async () => {
  let calls = 0;
  const stop = listen(database.url, { mine: () => (calls += 1), other: () => undefined }, log);
  const called = (count: number) => eventually(async () => expect(calls).toBe(count));
  await called(1);
  await database.db.query('notify mine');
  await called(2);
  await database.db.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = 'notifications-listen'`,
  );
  await called(3);
  await database.db.query('notify mine');
  await called(4);
  await stop();
});

test('stops while the database is out of reach', async () => {
  const stop = listen('postgres://127.0.0.1:1/nowhere', { mine: () => undefined }, log);
  await stop();
});
