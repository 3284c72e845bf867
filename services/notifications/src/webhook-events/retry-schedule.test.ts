import fc from 'fast-check';
import { MAX_ATTEMPTS, retryDelayMs } from './retry-schedule.ts';

test('nine waits lie between ten attempts, each twice as long as the one before', () => {
  const waits = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, index) => [
    retryDelayMs(index + 1, 0) / 1000,
    retryDelayMs(index + 1, 1) / 1000,
  ]);
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

test('never waits longer than twenty minutes, nor less than half of the base', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 100 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, random) => {
        const base = Math.min(2_000 * 2 ** failures, 1_200_000);
        const wait = retryDelayMs(failures, random);
        expect(wait).toBeGreaterThanOrEqual(base / 2);
        expect(wait).toBeLessThanOrEqual(base);
      },
    ),
  );
});
