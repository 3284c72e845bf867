import fc from 'fast-check';
import { emailBackoff, retryDelayMs, webhookBackoff } from './backoff.ts';

const seconds = (failures: number, random: number) =>
  (retryDelayMs(webhookBackoff, failures, random) ?? Number.NaN) / 1000;

test('nine waits lie between the ten attempts of a webhook, each twice as long as the one before', () => {
  const waits = Array.from({ length: 9 }, (_, index) => [seconds(index + 1, 0), seconds(index + 1, 1)]);
  expect(waits).toEqual([
    [2, 4],
    [4, 8],
    [8, 16],
    [16, 32],
    [32, 64],
    [64, 128],
    [128, 256],
    [256, 512],
    [512, 1024],
  ]);
});

test('after the last attempt there is no other', () => {
  expect(retryDelayMs(webhookBackoff, 10, 0.5)).toBeNull();
  expect(retryDelayMs(emailBackoff, 11, 0.5)).not.toBeNull();
  expect(retryDelayMs(emailBackoff, 12, 0.5)).toBeNull();
});

test('a wait is never longer than the longest, nor less than half of what it is spread from', () => {
  const number = { min: 1, max: 40 };
  fc.assert(
    fc.property(fc.integer(number), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = retryDelayMs({ ...webhookBackoff, attempts: 100 }, failures, random);
      const base = Math.min(2_000 * 2 ** failures, 1_200_000);
      expect(wait).toBeGreaterThanOrEqual(base / 2);
      expect(wait).toBeLessThanOrEqual(base);
    }),
  );
});
