import fc from 'fast-check';
import {
  hashToken,
  isSameSecret,
  isWellFormedToken,
  mintToken,
  prefixOfToken,
  randomAlphanumerics,
} from './token.ts';

const prefixes = ['trb_oat_', 'trb_at_u_', 'trb_c_', 'whsec_'];

describe('a minted token', () => {
  test.each(prefixes)('is %s, 37 random characters and 6 of checksum', (prefix) => {
    const token = mintToken(prefix);
    expect(token).toMatch(new RegExp(`^${prefix}[0-9A-Za-z]{43}$`));
    expect(isWellFormedToken(token)).toBe(true);
    expect(isWellFormedToken(token, prefix)).toBe(true);
    expect(isWellFormedToken(token, 'trb_other_')).toBe(false);
    expect(prefixOfToken(token)).toBe(prefix);
  });

  test('is never minted twice', () => {
    expect(new Set(Array.from({ length: 2_000 }, () => mintToken('trb_pat_'))).size).toBe(2_000);
  });

  test('is no longer well-formed once any character is changed', () => {
    const replacement = fc.constantFrom(...'09AZaz_-. ');
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), fc.nat(42), replacement, (prefix, place, character) => {
        const token = mintToken(prefix);
        const at = prefix.length + place;
        fc.pre(token[at] !== character);
        expect(isWellFormedToken(token.slice(0, at) + character + token.slice(at + 1))).toBe(false);
      }),
    );
  });

  test.each(['', 'trb', 'TRB_', 'trb-oat-', '_', 'trb_1_'])('cannot have the prefix %j', (prefix) => {
    expect(() => mintToken(prefix)).toThrow(RangeError);
  });
});

describe('text that is no token', () => {
  test.each(['', 'trb_oat_', 'trb_oat_short', `trb_oat_${'a'.repeat(43)}`, 'a'.repeat(100_000)])(
    '%#',
    (text) => {
      expect(isWellFormedToken(text)).toBe(false);
      expect(prefixOfToken(text)).toBeUndefined();
    },
  );

  test('a token with something around it', () => {
    const token = mintToken('trb_oat_');
    for (const text of [` ${token}`, `${token}\n`, `${token}a`, `a${token}`.toUpperCase()]) {
      expect(isWellFormedToken(text)).toBe(false);
    }
  });
});

test('the checksum is the CRC-32 of the random part in base 62: 0x9d196ba3 is 2sN54l', () => {
  expect(prefixOfToken(`trb_oat_${'a'.repeat(37)}2sN54l`)).toBe('trb_oat_');
});

test('random characters use the whole alphabet evenly', () => {
  const counts = new Map<string, number>();
  for (const character of randomAlphanumerics(62_000))
    counts.set(character, (counts.get(character) ?? 0) + 1);
  expect(counts.size).toBe(62);
  // 1000 expected of each; a bias by modulo would show as 1250 for the first eight. Six deviations are 188.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(188);
});

describe('hashes', () => {
  const token = mintToken('trb_oat_');

  test('are 64 hexadecimal digits that depend on token and secret, and do not contain the token', () => {
    expect(hashToken(token, 'one')).toMatch(/^[\da-f]{64}$/);
    expect(hashToken(token, 'one')).toBe(hashToken(token, 'one'));
    expect(hashToken(token, 'one')).not.toBe(hashToken(token, 'two'));
    expect(hashToken(token, 'one')).not.toBe(hashToken(mintToken('trb_oat_'), 'one'));
  });

  test('are HMAC-SHA256 (RFC 4231, test case 2)', () => {
    expect(hashToken('what do ya want for nothing?', 'Jefe')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });
});

test.each([
  ['secret', 'secret', true],
  ['secret', 'secreT', false],
  ['secret', 'secret2', false],
  ['', '', true],
  ['é', 'e', false],
])('%j and %j are the same secret: %j', (given, expected, isSame) => {
  expect(isSameSecret(given, expected)).toBe(isSame);
});
