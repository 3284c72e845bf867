import { newId } from '@tributary/proto/id.ts';
import { receiptsOf } from './receipts.ts';

const MIDNIGHT = Date.UTC(2026, 5, 16);
const eventOf = (organization_id: string, ms: number) => ({ id: newId(ms), organization_id });

test('counts by organization, whatever the order, and tells repeats apart', () => {
  const [one, other] = [newId(), newId()];
  const events = [one, other, one, one].map((organization) => eventOf(organization, MIDNIGHT));
  expect(receiptsOf(events, new Set([1, 3]))).toEqual([
    { organization_id: one, day: '2026-06-16', received: 3, duplicates: 1 },
    { organization_id: other, day: '2026-06-16', received: 1, duplicates: 1 },
  ]);
});

test('the id tells the day, also in the middle of a request', () => {
  const organization = newId();
  const events = [MIDNIGHT - 2, MIDNIGHT - 1, MIDNIGHT].map((ms) => eventOf(organization, ms));
  expect(receiptsOf(events, new Set())).toEqual([
    { organization_id: organization, day: '2026-06-15', received: 2, duplicates: 0 },
    { organization_id: organization, day: '2026-06-16', received: 1, duplicates: 0 },
  ]);
});

test('nothing comes to nothing', () => {
  expect(receiptsOf([], new Set())).toEqual([]);
});
