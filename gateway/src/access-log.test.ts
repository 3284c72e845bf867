import fc from 'fast-check';
import { timestamp } from './access-log.ts';

test('a timestamp is what Date writes, in whatever order instants come', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 4_102_444_800_000 }),
      (ms) => timestamp(ms) === new Date(ms).toISOString(),
    ),
  );
});
