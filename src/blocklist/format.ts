import { crc32 } from 'node:zlib';

/*
 * A blocklist is a Bloom filter over SHA-1 digests, in pages of 4096 bytes:
 *
 *   first page    MAGIC, a line of JSON (`Shape`), zeros, and the CRC-32 of all that
 *   each other    4092 bytes of the filter, and the CRC-32 of the page's number and them
 *
 * A digest says by its first bits which page it belongs to, and all its bits stand in that page: a look-up reads one
 * page, and pages fill in the order of sorted lists.
 */
export const PAGE_BYTES = 4096;
const SUM_BYTES = 4;
const FILTER_BYTES = PAGE_BYTES - SUM_BYTES;
const FILTER_BITS = FILTER_BYTES * 8;
/** The number at its end is the version of the format. */
const FAMILY = 'watchword blocklist ';
const MAGIC = `${FAMILY}1\n`;
export const DIGEST_BYTES = 20;
const TWO_TO_32 = 2 ** 32;
/** 8.6 GB; the number of a page is exact up to there. */
const MOST_PAGES = 2 ** 21;

/** What a blocklist is like. */
export interface Shape {
  /** Pages of the filter. */
  readonly pages: number;
  /** Bits that each password sets. */
  readonly bits: number;
  /** Lines that it was made of. */
  readonly passwords: number;
  /** The part of other passwords that it takes for one of them, by design. */
  readonly falsePositives: number;
  /** CRC-32 of the sums of all pages: two blocklists with the same one say the same. */
  readonly sum: number;
}

/** A file that is no blocklist, or not a whole one; the message names file and reason. */
export class BlocklistFault extends Error {
  override readonly name = 'BlocklistFault';
}

/** The size that so many passwords need. @throws BlocklistFault where that is more than the format holds */
export function shapeFor(passwords: number, falsePositives: number): Omit<Shape, 'sum'> {
  const bitsEach = -Math.log(falsePositives) / Math.LN2 ** 2;
  const pages = Math.max(1, Math.ceil((passwords * bitsEach) / FILTER_BITS));
  if (pages > MOST_PAGES) throw new BlocklistFault(`${passwords} passwords at this rate need more than ${MOST_PAGES} pages`);
  return { pages, bits: Math.max(1, Math.round(-Math.log2(falsePositives))), passwords, falsePositives };
}

/** The page of the filter, from 0, that a digest belongs to. */
export function pageOf(digest: Buffer, { pages }: Pick<Shape, 'pages'>): number {
  return Math.floor((digest.readUInt32BE(0) * pages) / TWO_TO_32);
}

/** Sets the bits of a digest. @param start where its page begins in the bytes */
export function addTo(bytes: Uint8Array, start: number, digest: Buffer, bits: number): void {
  let at = digest.readUInt32BE(4) % FILTER_BITS;
  let step = digest.readUInt32BE(8) % FILTER_BITS;
  for (let nth = 1; nth <= bits; nth++) {
    const byte = start + (at >>> 3);
    bytes[byte] = (bytes[byte] ?? 0) | (1 << (at & 7));
    at = (at + step) % FILTER_BITS;
    step = (step + nth) % FILTER_BITS;
  }
}

/** Whether all bits of a digest are set. */
export function isIn(page: Uint8Array, digest: Buffer, bits: number): boolean {
  let at = digest.readUInt32BE(4) % FILTER_BITS;
  let step = digest.readUInt32BE(8) % FILTER_BITS;
  for (let nth = 1; nth <= bits; nth++) {
    if (((page[at >>> 3] ?? 0) & (1 << (at & 7))) === 0) return false;
    at = (at + step) % FILTER_BITS;
    step = (step + nth) % FILTER_BITS;
  }
  return true;
}

const numberBytes = Buffer.alloc(SUM_BYTES);

function sumOfPage(page: Uint8Array, number: number): number {
  numberBytes.writeUInt32BE(number);
  return crc32(page.subarray(0, FILTER_BYTES), crc32(numberBytes));
}

/** Writes the sum at the end of a page, and answers it. @param number of the page, from 0 */
export function sealPage(page: Buffer, number: number): number {
  const sum = sumOfPage(page, number);
  page.writeUInt32BE(sum, FILTER_BYTES);
  return sum;
}

/** The sum of a page; undefined where the page is not what was written there. */
export function soundSum(page: Buffer, number: number): number | undefined {
  const sum = sumOfPage(page, number);
  return page.readUInt32BE(FILTER_BYTES) === sum ? sum : undefined;
}

/** The sum of all pages so far, with one more. */
export function addSum(total: number, sum: number): number {
  numberBytes.writeUInt32BE(sum);
  return crc32(numberBytes, total);
}

/** The first page of a file. */
export function headOf(shape: Shape): Buffer {
  const head = Buffer.alloc(PAGE_BYTES);
  head.write(`${MAGIC}${JSON.stringify(shape)}\n`);
  head.writeUInt32BE(crc32(head.subarray(0, FILTER_BYTES)), FILTER_BYTES);
  return head;
}

/**
 * What the first page of a file says.
 * @param head shorter where the file is
 * @throws BlocklistFault without the file's name
 */
export function readHead(head: Buffer): Shape {
  const start = head.toString('latin1', 0, MAGIC.length);
  if (!start.startsWith(FAMILY)) throw new BlocklistFault('is not a blocklist: "watchword blocklist build" makes one');
  if (start !== MAGIC) throw new BlocklistFault('is of another version of the format: build it anew');
  if (head.length < PAGE_BYTES) throw new BlocklistFault('is truncated');
  if (head.readUInt32BE(FILTER_BYTES) !== crc32(head.subarray(0, FILTER_BYTES))) throw new BlocklistFault('is damaged in its first page');
  const [, line = ''] = head.toString('latin1').split('\n');
  return JSON.parse(line) as Shape;
}
