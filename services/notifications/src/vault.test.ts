import { createVault } from './vault.ts';

const SECRET = 'a secret that only this test knows';
const vault = createVault(SECRET);

test('opens what it sealed', () => {
  for (const text of ['whsec_abc', '', 'ünïcödé 🎉'])
    expect(vault.open(vault.seal(text, 'owner'), 'owner')).toBe(text);
});

test('seals the same text differently each time and never in the clear', () => {
  const [one, two] = [vault.seal('whsec_abc', 'owner'), vault.seal('whsec_abc', 'owner')];
  expect(one).not.toBe(two);
  expect(Buffer.from(one.slice(3), 'base64url').includes('whsec_abc')).toBe(false);
});

test('opens for no other owner and under no other key', () => {
  const sealed = vault.seal('whsec_abc', 'owner');
  expect(() => vault.open(sealed, 'other')).toThrow();
  expect(() => createVault('another secret').open(sealed, 'owner')).toThrow();
});

test('refuses a text that was changed or that it did not seal', () => {
  const sealed = vault.seal('whsec_abc', 'owner');
  const changed = sealed.replace(/.(?=.{9}$)/, (digit) => (digit === 'A' ? 'B' : 'A'));
  for (const text of [changed, sealed.slice(0, -4), 'v1.', 'v2.abc', '', 'whsec_abc'])
    expect(() => vault.open(text, 'owner')).toThrow();
});
