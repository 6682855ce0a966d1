import { BlockList, isIP } from 'node:net';

const RANGE = /^([^/]+)\/(\d{1,3})$/;
const WIDTHS: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** An address or a network as text, in its parts; undefined where it is neither. */
function rangeOf(text: string): { readonly address: string; readonly family: 'ipv4' | 'ipv6'; readonly bits: number } | undefined {
  const [, address = text, bits] = RANGE.exec(text) ?? [];
  const width = WIDTHS[isIP(address)];
  const prefix = Number(bits ?? width);
  if (width === undefined || prefix > width) return undefined;
  return { address, family: width === 32 ? 'ipv4' : 'ipv6', bits: prefix };
}

/** Whether a text is an address (`10.1.2.3`, `fd00::1`) or a network (`10.0.0.0/8`). */
export const isAddressRange = (text: string): boolean => rangeOf(text) !== undefined;

/** Addresses and networks, asked whether one address is among them. */
export class AddressRanges {
  readonly #list = new BlockList();

  /** @param texts each an `isAddressRange` */
  constructor(texts: readonly string[]) {
    for (const { address, bits, family } of texts.flatMap((text) => rangeOf(text) ?? [])) this.#list.addSubnet(address, bits, family);
  }

  /** @param address of IPv4, also where it came mapped into IPv6, dotted; false for what is no address */
  has(address: string): boolean {
    const family = isIP(address);
    return family !== 0 && this.#list.check(address, family === 6 ? 'ipv6' : 'ipv4');
  }
}
