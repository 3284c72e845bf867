import type { IncomingMessage } from 'node:http';

/**
 * The address of the client: the connection's, or what the outermost of our own proxies saw. Entries of
 * X-Forwarded-For further left are whatever the client wrote and are not believed.
 */
export function clientAddress(request: IncomingMessage, trustedProxies: number): string {
  const peer = plain(request.socket.remoteAddress ?? '');
  if (trustedProxies === 0) return peer;
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((one) => one.trim());
  const hops = [...forwarded.filter((one) => one !== ''), peer];
  return plain(hops[Math.max(0, hops.length - 1 - trustedProxies)]!);
}

/** An IPv4 address as such, also where the socket shows it inside an IPv6 one. */
const plain = (address: string): string => (address.startsWith('::ffff:') ? address.slice(7) : address);

/** What rate limits count by: the address, or for IPv6 its /64, the least a subscriber is given. */
export function addressGroup(address: string): string {
  if (!address.includes(':')) return address;
  const [head = '', tail = ''] = address.split('::', 2);
  const left = head === '' ? [] : head.split(':');
  const right = tail === '' ? [] : tail.split(':');
  const zeros = Array<string>(Math.max(0, 8 - left.length - right.length)).fill('0');
  return [...left, ...(address.includes('::') ? zeros : []), ...right].slice(0, 4).join(':');
}
