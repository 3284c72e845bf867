import { anonymous } from '@tributary/proto/access.ts';
import type { Method } from '@tributary/runtime/http/route.ts';
import { matcher } from './route-match.ts';
import type { GatewayRoute } from './route-table.ts';

const route = (method: Method, path: string): GatewayRoute => ({
  method,
  path,
  service: 'commerce',
  access: anonymous,
  rate: 'normal',
  upload: false,
  changesReach: false,
});

const { match, methodsOf } = matcher([
  route('GET', '/v1/orders/'),
  route('GET', '/v1/orders/{id}'),
  route('PATCH', '/v1/orders/{id}'),
  route('GET', '/v1/orders/export'),
  route('POST', '/v1/orders/{id}/invoice'),
  route('GET', '/v1/customers/external/{external_id}/state'),
  route('GET', '/v1/customers/{id}/members/{member_id}'),
  route('GET', '/v1/customer-seats'),
  route('GET', '/.well-known/jwks.json'),
]);

const matched = (method: string, path: string): string => {
  const result = match(method, path);
  return result.kind === 'route' ? `${result.route.method} ${result.route.path}` : result.kind;
};

test.each([
  ['GET', '/v1/orders/', 'GET /v1/orders/'],
  ['GET', '/v1/orders/42', 'GET /v1/orders/{id}'],
  ['GET', '/v1/orders/export', 'GET /v1/orders/export'],
  ['PATCH', '/v1/orders/export', 'PATCH /v1/orders/{id}'],
  ['POST', '/v1/orders/42/invoice', 'POST /v1/orders/{id}/invoice'],
  ['GET', '/v1/customers/external/a/state', 'GET /v1/customers/external/{external_id}/state'],
  ['GET', '/v1/customers/external/members/7', 'GET /v1/customers/{id}/members/{member_id}'],
  ['HEAD', '/v1/orders/42', 'GET /v1/orders/{id}'],
  ['GET', '/.well-known/jwks.json', 'GET /.well-known/jwks.json'],
])('%s %s is %s', (method, path, expected) => {
  expect(matched(method, path)).toBe(expected);
});

test.each([
  ['GET', '/v1/orders', '/v1/orders/'],
  ['GET', '/v1/orders/42/', '/v1/orders/42'],
  ['GET', '/v1/customer-seats/', '/v1/customer-seats'],
  ['POST', '/v1/orders/42/invoice/', '/v1/orders/42/invoice'],
  ['GET', '/v1/orders//', '/v1/orders/'],
])('%s %s leads to %s', (method, path, expected) => {
  expect(match(method, path)).toEqual({ kind: 'redirect', path: expected });
});

test.each([
  ['DELETE', '/v1/orders/42', ['GET', 'HEAD', 'PATCH']],
  ['POST', '/v1/orders/', ['GET', 'HEAD']],
  ['POST', '/v1/orders', ['GET', 'HEAD']],
  ['GET', '/v1/orders/42/invoice', ['POST']],
])('%s %s has other methods', (method, path, allowed) => {
  expect(match(method, path)).toEqual({ kind: 'method', allowed });
});

test.each([
  '/',
  '',
  '*',
  '//',
  '/v1',
  '/v1/unknown',
  '//v1/orders/',
  '/v1//orders/',
  '/v1/orders//invoice',
  '/V1/orders/',
  '/v1/Orders/',
  'http://elsewhere/v1/orders/',
  `/v1/orders${'/a'.repeat(60)}`,
  '/v1/__proto__/',
  '/v1/orders/42/invoice/extra/more',
])('%s is nothing', (path) => {
  expect(match('GET', path)).toEqual({ kind: 'none' });
});

test('the methods of a path include HEAD with GET', () => {
  expect(methodsOf('/v1/orders/42')).toEqual(['GET', 'HEAD', 'PATCH']);
  expect(methodsOf('/v1/nowhere')).toEqual([]);
});

test('one method and path with two owners is refused', () => {
  expect(() => matcher([route('GET', '/v1/a/{x}'), route('GET', '/v1/a/{y}')])).toThrow('/v1/a/{y}');
});
