import { faultOfEndpointUrl } from './endpoint-url.ts';

const typeOf = (url: string, allowLoopback = false) => faultOfEndpointUrl(url, allowLoopback)?.type;

const GOOD = [
  'https://example.com',
  'https://example.com:8443/hook?token=1',
  'https://sub.domain.example.co.uk/a/b',
  'https://8.8.8.8/hook',
  'https://[2606:4700:4700::1111]/hook',
  'https://bücher.example/hook',
  'https://localhost.example.com/',
  'https://internal.example.com/',
];

const PRIVATE = [
  'https://printer.local/',
  'https://metadata.google.internal/computeMetadata/v1/',
  'https://router.lan/',
  'https://nas.home.arpa/',
  'https://0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://192.168.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::]/',
  'https://[64:ff9b::a00:1]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
];

const LOOPBACK = [
  'https://localhost/',
  'https://LOCALHOST/',
  'https://localhost./',
  'https://api.localhost/',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://①②⑦.⓪.⓪.①/',
];

const WITH_CREDENTIALS = [
  'https://user:password@example.com/hook',
  'https://user@example.com/',
  'https://:password@example.com/',
  'https://trusted.example@example.com/',
  'https://trusted.example%2F@127.0.0.1/',
  'http://user@localhost:3000/',
];

test.each(GOOD)('%s is taken', (url) => {
  expect(typeOf(url)).toBeUndefined();
});

test.each(PRIVATE)('%s is private', (url) => {
  expect(typeOf(url)).toBe('value_error');
  expect(typeOf(url, true)).toBe('value_error');
});

test.each(LOOPBACK)('%s is private but to a sandbox', (url) => {
  expect(typeOf(url)).toBe('value_error');
  expect(typeOf(url, true)).toBeUndefined();
});

test.each(WITH_CREDENTIALS)('%s carries credentials', (url) => {
  expect(typeOf(url, true)).toBe('value_error');
});

test.each([
  'http://example.com/',
  'ftp://example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'data:,x',
])('%s is of the wrong scheme', (url) => {
  expect(typeOf(url)).toBe('url_scheme');
});

test.each([
  'example.com',
  '/hook',
  'https://',
  'https:// example.com',
  'https://exa mple.com',
  ' https://a.example',
  'https://[::1',
  'https://256.256.256.256/',
  'https://a.example:99999/',
])('"%s" is no address', (url) => {
  expect(typeOf(url)).toBe('url_parsing');
});

test('a sandbox takes plain http, and no other scheme', () => {
  expect(typeOf('http://localhost:3000/hook', true)).toBeUndefined();
  expect(typeOf('ftp://localhost/', true)).toBe('url_scheme');
});
