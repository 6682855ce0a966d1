import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** Longer than any real address of a receiver. */
const MOST_CHARS = 2048;
/** What these names mean is settled without asking anybody (RFC 6761). */
const LOCAL_NAME = /^(?:.+\.)?localhost\.?$/i;

/** Whether a name always means this machine. */
export const isLocalName = (name: string): boolean => LOCAL_NAME.test(name);

/** The host of a URL without the brackets of IPv6. */
export const hostOf = ({ hostname }: URL): string => (hostname.startsWith('[') ? hostname.slice(1, -1) : hostname);

/**
 * Why nothing is sent to a URL, as far as its text tells; undefined where it may be sent. A name says nothing: what it
 * leads to is looked at when a connection is made.
 * @param allowPrivate whether targets may be in this network, and be asked without TLS
 */
export function refusedTarget(text: string, allowPrivate: boolean): string | undefined {
  const url = text.length <= MOST_CHARS && URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return `url must be an absolute URL of at most ${MOST_CHARS} characters`;
  if (url.protocol !== 'https:' && !(allowPrivate && url.protocol === 'http:')) return 'url must begin with https://';
  if (url.username !== '' || url.password !== '') return 'url must not hold a user name or password: they would be shown in lists';
  if (url.hash !== '') return 'url must not have a fragment';
  const host = hostOf(url);
  const isInside = isIP(host) === 0 ? isLocalName(host) : !isPublicAddress(host);
  return isInside && !allowPrivate ? "url leads to an address that is not public, which 'webhook_allow_private' would allow" : undefined;
}
