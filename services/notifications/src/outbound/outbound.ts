import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isLoopbackAddress, isPublicAddress } from './public-address.ts';

export interface Address {
  address: string;
  family: number;
}

/** Where requests to addresses of integrators' choosing may go. */
export interface Outbound {
  /** Lets plain http and this machine's own addresses pass; no other private one. */
  allowLoopback: boolean;
  /** All addresses of a host name. */
  resolve(hostname: string): Promise<Address[]>;
}

/** The destination is not one that webhooks may go to. */
export class ForbiddenDestination extends Error {}

export const createOutbound = (allowLoopback: boolean): Outbound => ({
  allowLoopback,
  resolve: (hostname) => systemLookup(hostname, { all: true }),
});

const isAllowed = ({ allowLoopback }: Outbound, address: string): boolean =>
  isPublicAddress(address) || (allowLoopback && isLoopbackAddress(address));

/** @throws ForbiddenDestination for a literal address that is not allowed; a name is judged when it is resolved */
export function refuseForbiddenLiteral(outbound: Outbound, url: URL): void {
  const host = hostOf(url);
  if (isIP(host) !== 0 && !isAllowed(outbound, host)) throw forbidden(host);
}

/**
 * The name resolution of a connection: what is judged here is what is connected to, so a name cannot turn to another
 * address in between. One forbidden address among several refuses the name.
 */
export const guardedLookup =
  (outbound: Outbound): LookupFunction =>
  (hostname, options, callback) => {
    outbound.resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const bad = addresses.find(({ address }) => !isAllowed(outbound, address));
        if (bad) callback(forbidden(hostname), [], 0);
        else if (!first) callback(new Error(`${hostname} has no address`), [], 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, [], 0),
    );
  };

const forbidden = (host: string) => new ForbiddenDestination(`${host} is not on the public internet`);
