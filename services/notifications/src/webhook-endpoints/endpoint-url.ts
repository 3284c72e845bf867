import { isIP } from 'node:net';
import { hostOf, isLoopbackAddress, isPublicAddress } from '../outbound/public-address.ts';

/** Names that never leave a machine or a private network (RFC 6761, RFC 6762, RFC 9476 and common practice). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;
/** Names that mean the machine itself (RFC 6761). */
const OWN_NAME = /(^|\.)localhost$/;

export interface UrlFault {
  msg: string;
  type: 'url_parsing' | 'url_scheme' | 'value_error';
}

/**
 * What is wrong with a webhook endpoint's address: it must be https, without credentials, which would be shown and
 * mailed with it, and not at once private. Names that resolve to a private address are refused when a webhook is sent.
 * @param allowLoopback also takes plain http and this machine itself
 */
export function faultOfEndpointUrl(text: string, allowLoopback: boolean): UrlFault | undefined {
  if (/\s/.test(text) || !URL.canParse(text)) {
    return { msg: 'Input should be a valid URL', type: 'url_parsing' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowLoopback && url.protocol === 'http:')) {
    return { msg: "URL scheme should be 'https'", type: 'url_scheme' };
  }
  if (url.username || url.password) {
    return { msg: 'URL should not contain credentials', type: 'value_error' };
  }
  const host = hostOf(url);
  if (isPrivateHost(host) && !(allowLoopback && isThisMachine(host))) {
    return { msg: 'URL should not point to localhost or a private address', type: 'value_error' };
  }
  return undefined;
}

const isThisMachine = (host: string): boolean => OWN_NAME.test(host) || isLoopbackAddress(host);

const isPrivateHost = (host: string): boolean =>
  isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host);
