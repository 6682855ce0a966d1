import { AddressRanges } from '../config/address-ranges.ts';
import type { Config } from '../config/config.ts';
import { isLoopback } from '../config/loopback.ts';
import type { Browser } from '../recipes/operators/browser.ts';
import { Refusal } from '../recipes/refusal.ts';
import { peerText } from './access.ts';
import type { HttpRequest, RequestHead } from './request.ts';

/** What is asked of a request before its body. */
export type HeadOnly = Pick<HttpRequest, 'method' | 'head' | 'peer'>;

// As in `access.ts`: the compiled ranges live as long as the configuration.
const prepared = new WeakMap<Config, AddressRanges>();

function proxiesOf(config: Config): AddressRanges {
  const known = prepared.get(config);
  if (known) return known;
  const proxies = new AddressRanges(config.trusted_proxies);
  prepared.set(config, proxies);
  return proxies;
}

const WITHOUT_TLS = 'The proxy in front says that this page was opened without TLS (X-Forwarded-Proto): open it with https://.';
const UNKNOWN_PROXY =
  'A proxy passed this request on that the option trusted_proxies does not name, so it is not known whether TLS protects it.';
const BY_NAME =
  'On this machine, open the admin page as http://localhost with its port: under another name nobody can sign in without TLS.';
const FROM_AFAR =
  'Operators sign in over TLS, through a proxy that the option trusted_proxies names, or without it on the machine of the core alone.';

/**
 * Where a browser is, and whether what it sends is safe on its way: by TLS, which ends at a trusted proxy, or on this
 * machine. The host must be a name of this machine then: any page can make its own name lead here (DNS rebinding).
 */
export function browserOf(request: HeadOnly, config: Config): Browser {
  const { web, host = '' } = request.head;
  const proxies = proxiesOf(config);
  const address = peerText(request.peer());
  if (proxies.has(address) && web?.isForwarded) {
    const isSecure = web.forwardedProto !== undefined && web.forwardedProto.split(',').every((proto) => /^\s*https\s*$/i.test(proto));
    const origin = `https://${host}`;
    return { address: farthest(web.forwardedFor, address, proxies), origin, insecure: isSecure ? undefined : WITHOUT_TLS };
  }
  const isHere = isLoopback(address);
  const isNamed = isLoopback(hostName(host));
  const insecure = web?.isForwarded ? UNKNOWN_PROXY : isHere ? (isNamed ? undefined : BY_NAME) : FROM_AFAR;
  return { address, origin: `http://${host}`, insecure };
}

/** The last address that no trusted proxy has: what stands before it anybody can have written. */
function farthest(forwardedFor: string | undefined, peer: string, proxies: AddressRanges): string {
  const hops = (forwardedFor ?? '').split(',').map((hop) => peerText(hop.trim()));
  return hops.findLast((hop) => hop !== '' && !proxies.has(hop)) ?? peer;
}

/** The host of a `Host` header, without port and brackets. */
const hostName = (host: string): string => /^(?:\[([^\]]*)\]|([^:]*))(?::\d*)?$/.exec(host)?.slice(1).find(Boolean) ?? '';

/** Whether a method is for changing something. */
export const isChange = (method: string): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * Checks that a request comes from a page of ours: by the word of the browser, else by the origin, which old browsers
 * send with changes at least. Reads need neither: no other page can see the answer. @throws Refusal
 */
export function checkOrigin({ head, method }: { readonly head: RequestHead; readonly method: string }, { origin }: Browser): void {
  const { fetchSite, origin: named } = head.web ?? {};
  const isOurs = named === undefined ? undefined : named.toLowerCase() === origin.toLowerCase();
  // `none`: typed into the address bar, where it can be a read alone.
  const isSame = fetchSite === undefined ? undefined : fetchSite === 'same-origin' || (fetchSite === 'none' && !isChange(method));
  if (isOurs !== false && isSame !== false && (!isChange(method) || isOurs || isSame)) return;
  throw new Refusal('forbidden', { text: 'This request comes from a page of another site' });
}
