import fc from 'fast-check';
import { type FilePart, partFaults, pathOf, readableSize } from './file.ts';
import { fileLinks } from './links.ts';

const part = (number: number, chunk_start: number, chunk_end: number): FilePart => ({
  number,
  chunk_start,
  chunk_end,
  checksum_sha256_base64: null,
});

test.each<[string, FilePart[], number, string[]]>([
  ['one part', [part(1, 0, 10)], 10, []],
  ['exclusive ends', [part(1, 0, 4), part(2, 4, 10)], 10, []],
  ['inclusive ends', [part(1, 0, 3), part(2, 4, 9)], 10, []],
  ['any order', [part(2, 4, 10), part(1, 0, 4)], 10, []],
  ['nothing of nothing', [], 0, []],
  ['nothing of something', [], 10, ['']],
  ['a number twice', [part(1, 0, 4), part(1, 4, 10)], 10, ['']],
  ['a gap', [part(1, 0, 4), part(2, 6, 10)], 10, ['1.chunk_start']],
  ['an overlap', [part(1, 0, 4), part(2, 3, 10)], 10, ['1.chunk_start']],
  ['a short end', [part(1, 0, 4)], 10, ['0.chunk_end']],
  ['a long end', [part(1, 0, 11)], 10, ['0.chunk_end']],
  ['a part backwards', [part(1, 0, 10), part(2, 10, 4)], 10, ['1.chunk_end']],
])('parts with %s', (_name, parts, size, paths) => {
  expect(partFaults(parts, size).map(({ path }) => path.join('.'))).toEqual(paths);
});

test('a path has exactly four segments, whatever the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (name) => {
      const segments = pathOf('downloadable', 'organization', 'id', name).split('/');
      expect(segments).toHaveLength(4);
      expect(segments[3]).not.toMatch(/^\.*$/);
      expect(Buffer.byteLength(segments[3]!)).toBeLessThanOrEqual(200);
    }),
  );
});

test('an ordinary name is kept in the path', () => {
  expect(pathOf('product_media', 'o', 'f', 'My photo (1).png')).toBe('product_media/o/f/My photo (1).png');
  expect(pathOf('product_media', 'o', 'f', '../../etc/passwd')).toBe('product_media/o/f/__.._etc_passwd');
});

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [1_258_291, '1.2 MB'],
  [2 ** 31 - 1, '2.0 GB'],
])('%i bytes read %s', (bytes, text) => expect(readableSize(bytes)).toBe(text));

describe('links', () => {
  const links = fileLinks('https://shop.test', 'a secret');
  const until = new Date('2026-01-15T12:00:00Z');
  const tokenOf = (url: string) => url.split('/').at(-1)!;

  test('a pass is read back as it was given', () => {
    expect(links.read(tokenOf(links.upload('file', 3, until)))).toEqual({
      for: 'upload',
      file: 'file',
      part: 3,
      until: 1_768_478_400,
    });
  });

  test('a changed or foreign token is no pass', () => {
    const token = tokenOf(links.download('downloadable', until));
    const foreign = tokenOf(fileLinks('https://shop.test', 'another').download('downloadable', until));
    expect(links.read(foreign)).toBeUndefined();
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string(), (at, text) => {
        const changed = token.slice(0, at) + text + token.slice(at + 1);
        if (changed !== token) expect(links.read(changed)).toBeUndefined();
      }),
    );
  });

  test('a public address names the file', () => {
    expect(links.publicUrl({ id: 'f', path: 'product_media/o/f/My photo.png' })).toBe(
      'https://shop.test/v1/storage/public/f/My%20photo.png',
    );
  });
});
