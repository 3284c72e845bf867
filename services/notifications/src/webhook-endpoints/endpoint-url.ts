import { isIP } from 'node:net';
import { hostOf, isPublicAddress } from '../outbound/public-address.ts';

/** Names that never leave a machine or a private network (RFC 6761, RFC 6762, RFC 9476 and common practice). */
const PRIVATE_NAME = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa)$/;

export interface UrlFault {
  msg: string;
  type: 'url_parsing' | 'url_scheme' | 'value_error';
}

/**
 * What is wrong with a webhook endpoint's address: it must be https, without credentials, which would be shown and
 * mailed with it, and not at once private. Names that resolve to a private address are refused when a webhook is sent.
 * @param allowPrivate also takes plain http and private hosts
 */
export function faultOfEndpointUrl(text: string, allowPrivate: boolean): UrlFault | undefined {
  if (/\s/.test(text) || !URL.canParse(text)) {
    return { msg: 'Input should be a valid URL', type: 'url_parsing' };
  }
  const url = new URL(text);
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) {
    return { msg: "URL scheme should be 'https'", type: 'url_scheme' };
  }
  if (url.username || url.password) {
    return { msg: 'URL should not contain credentials', type: 'value_error' };
  }
  if (!allowPrivate && isPrivateHost(hostOf(url))) {
    return { msg: 'URL should not point to localhost or a private address', type: 'value_error' };
  }
  return undefined;
}

const isPrivateHost = (host: string): boolean =>
  isIP(host) === 0 ? PRIVATE_NAME.test(host) : !isPublicAddress(host);
