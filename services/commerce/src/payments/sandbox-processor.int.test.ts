import { newId } from '@tributary/proto/id.ts';
import { createTestDatabase, type TestDatabase } from '@tributary/runtime/testing/database.ts';
import { entities, migrations } from '../database.ts';
import { type SandboxProcessor, sandboxProcessor } from './sandbox-processor.ts';

let database: TestDatabase;
let processor: SandboxProcessor;
beforeAll(async () => {
  database = await createTestDatabase('commerce', { entities, migrations });
  processor = sandboxProcessor(database.db);
}, 60_000);
afterAll(() => database?.drop());

const sum = { amount: 1_000, currency: 'usd' };
const chargesUnder = async (key: string) => {
  const [{ count }] = await database.db.query('select count(*) from sandbox_intents where key = $1', [key]);
  return count;
};

describe('the sandbox', () => {
  test('charges a good card and saves it', async () => {
    expect(await processor.confirm(newId(), 'tok_visa', sum)).toMatchObject({
      status: 'succeeded',
      method: { type: 'card', card: { brand: 'visa', last4: '4242', exp_month: 12 } },
    });
  });

  test('charges once for one key, also when both calls come at once', async () => {
    const key = newId();
    const [first, second] = await Promise.all([1, 2].map(() => processor.confirm(key, 'tok_visa', sum)));
    expect(second).toEqual(first);
    expect(await processor.confirm(key, 'tok_declined', sum)).toEqual(first);
    expect(await sandboxProcessor(database.db).read(key)).toEqual(first);
    expect(await chargesUnder(key)).toBe(1);
  });

  test.each([
    ['tok_declined', 'card_declined', false],
    ['tok_insufficient_funds', 'insufficient_funds', false],
    ['tok_expired', 'expired_card', true],
    ['tok_unheard_of', 'invalid_token', true],
    ['constructor', 'invalid_token', true],
    ['__proto__', 'invalid_token', true],
  ])('refuses %s for %s', async (token, reason, isHard) => {
    const outcome = await processor.confirm(newId(), token, sum);
    expect(outcome).toMatchObject({ status: 'failed', decline: { reason, isHard }, method: null });
  });

  test('saves a card that fails when it is charged later', async () => {
    const saved = await processor.confirm(newId(), 'tok_fails_later', { ...sum, amount: 0 });
    if (saved.status !== 'succeeded') throw new Error(saved.status);
    expect(await processor.charge(newId(), saved.method.id, sum)).toMatchObject({
      status: 'failed',
      decline: { reason: 'card_declined' },
    });
  });

  test('charges a saved card again, once for each key', async () => {
    const saved = await processor.confirm(newId(), 'tok_3ds', sum);
    if (saved.status !== 'requires_action') throw new Error(saved.status);
    const key = await processor.completeSecondStep(saved.clientSecret, 'authenticated');
    const done = await processor.read(key!);
    if (done?.status !== 'succeeded') throw new Error(done?.status);
    const charge = newId();
    const first = await processor.charge(charge, done.method.id, sum);
    expect(first).toMatchObject({ status: 'succeeded', method: { id: done.method.id } });
    expect(await processor.charge(charge, done.method.id, sum)).toEqual(first);
    expect(await processor.keyOf(done.intentId)).toBe(key);
  });

  test('knows a card again by its fingerprint, whoever uses it', async () => {
    const [one, other, another] = await Promise.all(
      ['tok_visa', 'tok_visa', 'tok_disputed'].map(async (token) => {
        const outcome = await processor.confirm(newId(), token, sum);
        return outcome.status === 'succeeded' ? outcome.method : undefined;
      }),
    );
    expect(one?.fingerprint).toBe(other?.fingerprint);
    expect(one?.id).not.toBe(other?.id);
    expect(one?.fingerprint).not.toBe(another?.fingerprint);
  });

  test('gives up a payment whose second step nobody took', async () => {
    const key = newId();
    const waiting = await processor.confirm(key, 'tok_3ds', sum);
    if (waiting.status !== 'requires_action') throw new Error(waiting.status);
    await processor.cancel(key);
    expect(await processor.read(key)).toMatchObject({ status: 'failed' });
    expect(await processor.completeSecondStep(waiting.clientSecret, 'authenticated')).toBeUndefined();
    expect(await processor.read(newId())).toBeUndefined();
  });
});
