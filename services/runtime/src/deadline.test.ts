import { within } from './deadline.ts';

const never = new Promise<never>(() => undefined);

test('gives what the work gives in time', async () => {
  await expect(within(60_000, Promise.resolve('done'), () => 'late')).resolves.toBe('done');
  await expect(within(60_000, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
});

test('gives what is said for work that is late', async () => {
  await expect(within(1, never, () => 'late')).resolves.toBe('late');
  const late = within(1, never, () => {
    throw new Error('too late');
  });
  await expect(late).rejects.toThrow('too late');
});
