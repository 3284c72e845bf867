import { newId } from './id.ts';

test('ids are UUIDv4 in form and begin with the time', () => {
  const id = newId(0x018f_0000_0001);
  expect(id).toMatch(/^018f0000-0001-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});

test('ids made one after the other sort so, more than a millisecond holds of them too', () => {
  const now = Date.now();
  const ids = Array.from({ length: 20_000 }, (_, index) => newId(now + Math.floor(index / 10_000)));
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
});

test('an earlier time asked for later is the time of the id', () => {
  newId(2_000_000);
  expect(newId(1_000_000).slice(0, 13)).toBe('0000000f-4240');
});
