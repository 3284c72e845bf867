import { readQuery } from './query-string.ts';

describe('reading a query string', () => {
  test('repeated names become a list, in order', () => {
    expect(readQuery('/v1/orders/?status=paid&status=void&page=2')).toEqual({
      status: ['paid', 'void'],
      page: '2',
    });
  });

  test('bracketed names become an object, and repeated keys in it lists', () => {
    expect(readQuery('/?metadata[plan]=pro&metadata[plan]=free&metadata[seat%20count]=3')).toEqual({
      metadata: { plan: ['pro', 'free'], 'seat count': '3' },
    });
  });

  test('a key may hold brackets', () => {
    expect(readQuery('/?metadata[rows[0]]=a&metadata[a][b]=c&metadata[]=d')).toEqual({
      metadata: { 'rows[0]': 'a', 'a][b': 'c', '': 'd' },
    });
  });

  test('prototype names are data', () => {
    const query = readQuery('/?__proto__=1&metadata[constructor]=2&metadata[__proto__]=3');
    expect(Object.keys(query)).toEqual(['__proto__', 'metadata']);
    expect(Object.keys(query.metadata as object)).toEqual(['constructor', '__proto__']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  test('a name used both plainly and with brackets keeps its first form', () => {
    expect(readQuery('/?a=1&a[b]=2')).toEqual({ a: '1' });
    expect(readQuery('/?a[b]=2&a=1')).toEqual({ a: { b: '2' } });
  });

  test('plus and percent escapes are decoded; a target without a query is empty', () => {
    expect(readQuery('/?q=a+b%20c')).toEqual({ q: 'a b c' });
    expect(readQuery('/v1/orders/')).toEqual({});
  });
});
