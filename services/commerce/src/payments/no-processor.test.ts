import { noProcessor } from './no-processor.ts';

test('without a payment company every card is refused, each attempt by a name of its own', async () => {
  const sum = { amount: 1_000, currency: 'usd' };
  const attempts = await Promise.all([
    noProcessor.confirm('a', 'tok_visa', sum),
    noProcessor.charge('b', 'pm_1', sum),
  ]);
  expect(attempts).toMatchObject([
    { status: 'failed', decline: { reason: 'processor_missing', isHard: false }, method: null },
    { status: 'failed' },
  ]);
  expect(new Set(attempts.map(({ intentId }) => intentId)).size).toBe(2);
  expect(await noProcessor.read('a')).toBeUndefined();
});
