import type { ChaosPlatform } from './platform.ts';

/** Memory of the process that holds the most, in MiB. */
export async function largestMiB({ processes }: ChaosPlatform): Promise<number> {
  const sizes = await Promise.all(Object.values(processes).map((each) => each.residentMiB()));
  return Math.max(...sizes.map((size) => size ?? 0));
}
