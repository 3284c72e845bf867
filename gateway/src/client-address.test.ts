import type { IncomingMessage } from 'node:http';
import { addressGroup, clientAddress } from './client-address.ts';

const from = (remoteAddress: string, forwarded?: string) =>
  ({
    socket: { remoteAddress },
    headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  }) as unknown as IncomingMessage;

test.each([
  ['without proxies nothing the client writes is believed', from('10.0.0.9', '1.1.1.1'), 0, '10.0.0.9'],
  ['behind one proxy the last entry counts', from('10.0.0.9', '6.6.6.6, 1.1.1.1'), 1, '1.1.1.1'],
  ['behind two proxies the last but one', from('10.0.0.9', '6.6.6.6, 1.1.1.1, 10.0.0.8'), 2, '1.1.1.1'],
  ['a request that passed fewer proxies is taken at its first', from('10.0.0.9', '1.1.1.1'), 3, '1.1.1.1'],
  ['a request that came past the proxy is its connection', from('10.0.0.9'), 1, '10.0.0.9'],
  ['IPv4 inside IPv6 is IPv4', from('::ffff:10.0.0.9'), 0, '10.0.0.9'],
])('%s', (_fact, request, proxies, expected) => {
  expect(clientAddress(request, proxies)).toBe(expected);
});

test.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
])('%s is counted as %s', (address, expected) => {
  expect(addressGroup(address)).toBe(expected);
});
