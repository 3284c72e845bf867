import { hostOf, isLoopbackAddress, isPublicAddress } from './public-address.ts';

const PUBLIC = [
  '8.8.8.8',
  '1.1.1.1',
  '93.184.215.14',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '100.128.0.1',
  '169.253.255.255',
  '2606:4700:4700::1111',
  '2a00:1450:4001:81b::200e',
  '::ffff:8.8.8.8',
];

const NOT_PUBLIC: [address: string, why: string][] = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['10.255.255.255', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'metadata of most clouds'],
  ['169.254.170.2', 'metadata of container tasks'],
  ['100.100.100.200', 'metadata behind carrier-grade NAT'],
  ['168.63.129.16', "a cloud's host"],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['192.0.0.1', 'protocol assignments'],
  ['192.0.2.1', 'documentation'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['198.18.0.1', 'benchmarking'],
  ['192.88.99.1', '6to4 relay'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.250', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'unspecified'],
  ['::1', 'loopback'],
  ['0:0:0:0:0:0:0:1', 'loopback in full'],
  ['::ffff:127.0.0.1', 'mapped loopback'],
  ['::ffff:7f00:1', 'mapped loopback in hexadecimal'],
  ['::ffff:10.0.0.1', 'mapped private'],
  ['::ffff:169.254.169.254', 'mapped metadata'],
  ['::ffff:168.63.129.16', "a cloud's host, mapped"],
  ['::127.0.0.1', 'IPv4-compatible loopback'],
  ['::ffff:0:127.0.0.1', 'translated loopback'],
  ['64:ff9b::7f00:1', 'loopback behind NAT64'],
  ['64:ff9b:1::a00:1', 'private behind NAT64'],
  ['2002:7f00:1::', 'loopback in 6to4'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local with a zone'],
  ['fec0::1', 'site-local'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'metadata over IPv6'],
  ['ff02::1', 'multicast'],
  ['100::1', 'discard'],
  ['5f00::1', 'segment routing'],
  ['2130706433', 'decimal'],
  ['0x7f000001', 'hexadecimal'],
  ['0177.0.0.1', 'octal'],
  ['127.1', 'short'],
  ['', 'nothing'],
  ['localhost', 'a name'],
  ['example.com', 'a name'],
];

test.each(PUBLIC)('%s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each(NOT_PUBLIC)('%s is not public: %s', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('%s is this machine', (address) => {
  expect(isLoopbackAddress(address)).toBe(true);
});

test.each(['0.0.0.0', '10.0.0.1', '169.254.169.254', '8.8.8.8', '::', 'localhost', ''])(
  '%s is not this machine',
  (address) => {
    expect(isLoopbackAddress(address)).toBe(false);
  },
);

test('a host is read without brackets and without a dot at its end', () => {
  expect(hostOf(new URL('https://[::1]:8443/'))).toBe('::1');
  expect(hostOf(new URL('https://EXAMPLE.com./'))).toBe('example.com');
  expect(hostOf(new URL('https://0x7f.1/'))).toBe('127.0.0.1');
});
