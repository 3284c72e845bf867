import ipaddr from 'ipaddr.js';

/** Unicast IPv6 addresses that are routed at all (https://www.iana.org/assignments/ipv6-address-space). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/** Public by their range, yet served by a cloud's own host to the machines on it: metadata and credentials. */
const METADATA = new Set(['168.63.129.16']);

/**
 * Whether an address is on the public internet. Private, loopback, link-local, shared, documentation, multicast,
 * reserved and tunneled addresses are not; an IPv4 address inside an IPv6 one counts as that IPv4 address.
 * @param address IPv4 in dotted decimal or IPv6, without brackets
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.IPv4.isValidFourPartDecimal(address) && !ipaddr.IPv6.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (parsed.range() !== 'unicast' || METADATA.has(parsed.toString())) return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}

/** Whether an address is this machine's own, in any notation that {@link isPublicAddress} reads. */
export const isLoopbackAddress = (address: string): boolean =>
  (ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address)) &&
  ipaddr.process(address).range() === 'loopback';

/** A URL's host as a name or a bare IP address: no brackets, no dot at the end. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
