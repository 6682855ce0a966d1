import { Resolver } from 'node:dns/promises';
import { isLocalName } from './target.ts';

/** Finds the addresses of a name, IPv4 first; rejects where there are none. */
export type Resolve = (name: string) => Promise<readonly string[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;

/**
 * Asks the DNS servers of the machine. Not by `dns.lookup`: that waits on libuv's threads, on which tokens are signed,
 * and a server that is silent would hold them. So `/etc/hosts` is not read.
 */
export const resolveName: Resolve = async (name) => {
  if (isLocalName(name)) return ['127.0.0.1', '::1'];
  // A new one each time: the servers of the machine may change.
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  const asked = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  const addresses = asked.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const [ipv4] = asked;
  if (addresses.length === 0 && ipv4.status === 'rejected') throw ipv4.reason;
  return addresses;
};
