import { setImmediate as turn } from 'node:timers/promises';
import type { IngestedEvent } from './event-input.ts';
import { grouping, type Waiting } from './grouping.ts';

/** Groups as they begin; each is under way until it is ended. */
function observed() {
  const begun: { group: readonly Waiting[]; end: () => void }[] = [];
  const { push } = grouping(
    (group) =>
      new Promise<void>((resolve) => {
        begun.push({ group, end: resolve });
      }),
  );
  return {
    begun,
    sizes: () => begun.map(({ group }) => group.length),
    /** Resolves once so many groups have begun. */
    async until(count: number) {
      while (begun.length < count) await turn();
    },
    async send(requests: number, events = 1) {
      for (let sent = 0; sent < requests; sent += 1) push(request(events));
      await turn();
    },
    async end(place: number) {
      begun[place]!.end();
      await turn();
    },
  };
}

const request = (events: number): Waiting => ({
  events: Array.from({ length: events }, () => ({}) as IngestedEvent),
  now: new Date(),
  resolve: () => undefined,
  reject: () => undefined,
});

test('a request that finds nothing under way is stored at once, one after the other', async () => {
  const { send, end, sizes } = observed();
  for (let place = 0; place < 3; place += 1) {
    await send(1);
    await end(place);
  }
  expect(sizes()).toEqual([1, 1, 1]);
});

test('requests that come together are stored together', async () => {
  const { send, sizes } = observed();
  await send(5);
  expect(sizes()).toEqual([5]);
});

test('those that come meanwhile wait for each other', async () => {
  const { send, end, sizes } = observed();
  await send(1);
  await send(3);
  await send(4);
  expect(sizes()).toEqual([1]);
  await end(0);
  expect(sizes()).toEqual([1, 7]);
});

test('many do not wait for the group under way', async () => {
  const { send, sizes } = observed();
  await send(1);
  await send(24);
  expect(sizes()).toEqual([1, 24]);
});

test('many events do not wait for the group under way, and beside two groups nobody else begins', async () => {
  const { send, end, sizes } = observed();
  await send(1);
  await send(2, 1_000);
  await send(24);
  expect(sizes()).toEqual([1, 2]);
  await end(0);
  expect(sizes()).toEqual([1, 2, 24]);
});

test('a group holds at most 2,000 events', async () => {
  const { send, end, sizes } = observed();
  await send(7, 900);
  expect(sizes()).toEqual([2, 2]);
  await end(0);
  expect(sizes()).toEqual([2, 2, 2]);
  await end(1);
  expect(sizes()).toEqual([2, 2, 2]);
});

test('a large request waits for no group', async () => {
  const { send, sizes } = observed();
  await send(1);
  await send(3, 2_001);
  expect(sizes()).toEqual([1, 1, 1]);
});

test('where many came lately a few wait for company, and not for long', async () => {
  const { send, end, sizes, until } = observed();
  await send(20);
  await end(0);
  await send(2);
  expect(sizes()).toEqual([20]);
  await until(2);
  expect(sizes()).toEqual([20, 2]);
});

test('the crowd is forgotten when it stays away', async () => {
  const { send, end, sizes, until } = observed();
  await send(20);
  await end(0);
  for (let place = 1; place < 15; place += 1) {
    await send(1);
    await until(place + 1);
    await end(place);
  }
  await send(1);
  expect(sizes()).toHaveLength(16);
});
