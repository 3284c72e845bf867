import { crc32 } from 'node:zlib';

/** Numbers that look random and come again with the same seed and purpose (mulberry32). */
export function randomFrom(seed: number, purpose: string) {
  let state = (seed ^ crc32(purpose)) >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    /** An integer from `least` to `most`. */
    integer: (least: number, most: number) => least + Math.floor(next() * (most - least + 1)),
  };
}

export type Random = ReturnType<typeof randomFrom>;
