import { lookup as systemLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { hostOf, isPublicAddress } from './public-address.ts';

export interface Address {
  address: string;
  family: number;
}

/** Where requests to addresses of integrators' choosing may go. */
export interface Outbound {
  /** Lets plain http and private addresses pass. */
  allowPrivate: boolean;
  /** All addresses of a host name. */
  resolve(hostname: string): Promise<Address[]>;
}

/** The destination is not on the public internet. */
export class ForbiddenDestination extends Error {}

export const createOutbound = (allowPrivate: boolean): Outbound => ({
  allowPrivate,
  resolve: (hostname) => systemLookup(hostname, { all: true }),
});

/** @throws ForbiddenDestination for a literal address that is not public; a name is judged when it is resolved */
export function refuseForbiddenLiteral(outbound: Outbound, url: URL): void {
  const host = hostOf(url);
  if (!outbound.allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) throw forbidden(host);
}

/**
 * The name resolution of a connection: what is judged here is what is connected to, so a name cannot turn to another
 * address in between. One forbidden address among several refuses the name.
 */
export const guardedLookup =
  ({ allowPrivate, resolve }: Outbound): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const bad = allowPrivate ? undefined : addresses.find(({ address }) => !isPublicAddress(address));
        if (bad) callback(forbidden(hostname), [], 0);
        else if (!first) callback(new Error(`${hostname} has no address`), [], 0);
        else if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, [], 0),
    );
  };

const forbidden = (host: string) => new ForbiddenDestination(`${host} is not on the public internet`);
