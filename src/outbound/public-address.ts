import { BlockList, isIPv4, isIPv6 } from 'node:net';

type Block = readonly [network: string, prefix: number];

/** IPv4 blocks that do not lead to a host of the internet (IANA's registry of special-purpose addresses). */
const SPECIAL_IPV4: readonly Block[] = [
  ['0.0.0.0', 8], // this network, and the unspecified address
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // behind a provider's address translation
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local, where clouds answer questions about a machine
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // relays of 6to4
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, and broadcast
];

/** What of IPv6 is given out for the internet at all: not loopback, private, link-local, multicast, nor mapped IPv4. */
const GLOBAL_IPV6: readonly Block[] = [['2000::', 3]];

/** What of that does not lead to a host of the internet. */
const SPECIAL_IPV6: readonly Block[] = [
  ['2001::', 23], // protocol assignments, with Teredo, which hides IPv4 addresses
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4, which hides IPv4 addresses
  ['3fff::', 20], // documentation
];

/** Addresses that networks without IPv4 translate to IPv4: as good as the one that stands at the end. */
const TRANSLATED: readonly Block[] = [['64:ff9b::', 96]];

function listOf(family: 'ipv4' | 'ipv6', blocks: readonly Block[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of blocks) list.addSubnet(network, prefix, family);
  return list;
}

const specialIpv4 = listOf('ipv4', SPECIAL_IPV4);
const globalIpv6 = listOf('ipv6', GLOBAL_IPV6);
const specialIpv6 = listOf('ipv6', SPECIAL_IPV6);
const translated = listOf('ipv6', TRANSLATED);

/** Whether an address is one of the internet. @param address IPv4 dotted or IPv6; any other text is none */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !specialIpv4.check(address, 'ipv4');
  // A zone is only said of link-local addresses.
  if (!isIPv6(address) || address.includes('%')) return false;
  if (translated.check(address, 'ipv6')) return isPublicAddress(embeddedIpv4(address));
  return globalIpv6.check(address, 'ipv6') && !specialIpv6.check(address, 'ipv6');
}

/** The IPv4 address in the last four bytes of an IPv6 address. */
function embeddedIpv4(address: string): string {
  const { hostname } = new URL(`http://[${address}]`);
  const [high = 0, low = 0] = hostname
    .slice(1, -1)
    .split(':')
    .slice(-2)
    .map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
}
