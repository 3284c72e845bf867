import { equal, none } from './report.ts';

test('numbers beyond 2^53 are compared and shown to the last digit', () => {
  expect(equal('sum', '9007199254740993', 9007199254740992n)).toEqual({
    name: 'sum',
    expected: '9007199254740993',
    found: '9007199254740992',
    difference: '-1',
    ok: false,
  });
});

test('decimals that are written differently are the same number', () => {
  expect(equal('sum', '1.50', '1.5')).toMatchObject({ ok: true, difference: '0', expected: '1.5' });
});

test('a record that must not be there is named', () => {
  expect(none('orders: not paid', 2, ['one', 'two'])).toMatchObject({
    ok: false,
    found: '2',
    detail: 'one, two',
  });
  expect(none('orders: not paid', 0)).toEqual({
    name: 'orders: not paid',
    expected: '0',
    found: '0',
    difference: '0',
    ok: true,
  });
});
