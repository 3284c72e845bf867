import { createLog } from '@tributary/runtime/log.ts';
import { eventually } from '@tributary/runtime/testing/eventually.ts';
import { type Dispatcher, startDispatcher } from './dispatcher.ts';

const log = createLog({ service: 'test', level: 'silent' });

let dispatcher: Dispatcher;
afterEach(() => dispatcher.stop());

/** A queue of numbers, and work on each that ends when the test says so. */
function startQueue(atOnce: number) {
  const queue: number[] = [];
  const underWay = new Map<number, () => void>();
  const state = { queue, underWay, most: 0, done: [] as number[], interrupted: [] as number[] };
  dispatcher = startDispatcher<number>({
    name: 'numbers',
    atOnce,
    log,
    async claim(limit) {
      const items = queue.splice(0, limit);
      return { items, isMoreDue: items.length === limit };
    },
    async work(number, stopping) {
      const { promise, resolve } = Promise.withResolvers<void>();
      stopping.addEventListener('abort', () => {
        state.interrupted.push(number);
        resolve();
      });
      underWay.set(number, resolve);
      state.most = Math.max(state.most, underWay.size);
      await promise;
      underWay.delete(number);
      if (number < 0) throw new Error('failed');
      state.done.push(number);
    },
  });
  return state;
}

test('works on so many at once and no more, and goes on when one is done', async () => {
  const state = startQueue(2);
  state.queue.push(1, 2, 3, 4);
  dispatcher.wake();
  await eventually(async () => expect([...state.underWay.keys()]).toEqual([1, 2]));
  state.underWay.get(2)!();
  await eventually(async () => expect([...state.underWay.keys()]).toEqual([1, 3]));
  state.underWay.get(1)!();
  state.underWay.get(3)!();
  await eventually(async () => expect([...state.underWay.keys()]).toEqual([4]));
  state.underWay.get(4)!();
  await eventually(async () => expect(state.done).toHaveLength(4));
  expect(state.most).toBe(2);
});

test('is not stopped by work that fails', async () => {
  const state = startQueue(1);
  state.queue.push(-1, 2);
  dispatcher.wake();
  for (const number of [-1, 2])
    await eventually(async () => {
      expect(state.underWay.has(number)).toBe(true);
      state.underWay.get(number)!();
    });
  await eventually(async () => expect(state.done).toEqual([2]));
});

test('finds what nobody woke it for', async () => {
  const state = startQueue(1);
  state.queue.push(7);
  await eventually(async () => expect(state.underWay.has(7)).toBe(true));
  state.underWay.get(7)!();
});

test('told to stop, claims no more, and interrupts what does not end by itself', async () => {
  const state = startQueue(1);
  state.queue.push(1, 2);
  dispatcher.wake();
  await eventually(async () => expect(state.underWay.has(1)).toBe(true));
  await dispatcher.stop();
  expect(state.interrupted).toEqual([1]);
  expect(state.queue).toEqual([2]);
});
