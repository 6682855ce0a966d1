import { fstatSync, readSync } from 'node:fs';

/*
 * The pages of an LMDB file, read by hand: LMDB trusts them, and a missing or wrong one ends the process by a signal.
 * Format of lmdb-js 3.5 (its version 2), 64 bit, little-endian:
 *
 *   every page   0 number, 8 commit that wrote it, 18 flags, 20 twice the number of its nodes, 24 their starts, from 24
 *   meta pages   the first two; 24 magic, 28 version, 48 free list, 96 main tree, 144 last page, 152 commit
 *   tree         0 size of pages (of the free list only), 6 depth, 32 entries, 40 root
 *   node         0 size of value (leaf) or 48 bits of a page number; 4 flags (leaf), 6 size of key, 8 key, then value
 *   large value  0 first page, 16 pages; the first one has a header
 */
const META_BYTES = 160;
const MAGIC = 0xbeefc0de;
const VERSION = 2;
const HEADER_BYTES = 24;
const NODE_BYTES = 8;
const LARGE_VALUE_BYTES = 24;
const BRANCH = 0x01;
const LEAF = 0x02;
/** Of the kinds of pages; other flags are of no lasting meaning. */
const KINDS = 0xff;
const META = 0x08;
const IS_LARGE = 0x01;
/** The root of a tree in which nothing is. */
const NO_PAGE = 2n ** 64n - 1n;
/** LMDB's own limit. */
const DEEPEST = 32;

/** A file that is no sound database; the message says what is wrong in a few words. */
export class DamagedFile extends Error {
  override readonly name = 'DamagedFile';
}

interface Tree {
  readonly root: bigint;
  readonly depth: number;
}

/** What the newest meta page says. */
export interface Meta {
  readonly pageBytes: number;
  readonly lastPage: number;
  readonly commit: bigint;
  /** Keys in the main tree. */
  readonly entries: number;
  readonly trees: readonly Tree[];
}

/**
 * The newest meta page; nothing of an empty file.
 * @param file a descriptor
 * @throws DamagedFile
 */
export function readMeta(file: number): Meta | undefined {
  const first = readPiece(file, 0, META_BYTES);
  if (first.length === 0) return undefined;
  const one = parseMeta(first);
  const other = parseMeta(readPiece(file, one.pageBytes, META_BYTES));
  if (one.pageBytes !== other.pageBytes) throw new DamagedFile('its two meta pages differ in the size of pages');
  return one.commit >= other.commit ? one : other;
}

function parseMeta(bytes: Buffer): Meta {
  if (bytes.length < META_BYTES) throw new DamagedFile('it is cut off within its meta pages');
  if ((bytes.readUInt16LE(18) & META) === 0 || bytes.readUInt32LE(24) !== MAGIC || bytes.readUInt16LE(28) !== VERSION)
    throw new DamagedFile('it is not a database of this version');
  const pageBytes = bytes.readUInt32LE(48);
  if (![4096, 8192, 16_384, 32_768, 65_536].includes(pageBytes)) throw new DamagedFile(`its pages cannot have ${pageBytes} bytes`);
  const trees = [48, 96].map((at) => ({ root: bytes.readBigUInt64LE(at + 40), depth: bytes.readUInt16LE(at + 6) }));
  return {
    pageBytes,
    lastPage: Number(bytes.readBigUInt64LE(144)),
    commit: bytes.readBigUInt64LE(152),
    entries: Number(bytes.readBigUInt64LE(128)),
    trees,
  };
}

function readPiece(file: number, at: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  return bytes.subarray(0, readSync(file, bytes, 0, size, at));
}

/** Whether every page the database ever used is in the file. If not, the missing ones may still be free. */
export function holdsAllPages(file: number, { pageBytes, lastPage }: Meta): boolean {
  return fstatSync(file).size >= (lastPage + 1) * pageBytes;
}

/** What is wrong with one page. */
export interface PageFault {
  readonly page: number;
  readonly text: string;
}

/** Bounds of all keys of a page; nothing where there is no such bound. */
interface Within {
  readonly from: Buffer | undefined;
  readonly before: Buffer | undefined;
}

/**
 * Looks at every page in use; answers after each what is wrong with it, if anything: not in the file, no page of a
 * tree, or keys out of order. While a process writes, hold a snapshot that began before the meta page was read.
 */
export class PageWalk {
  readonly #file: number;
  readonly #meta: Meta;
  readonly #pages: number;

  constructor(file: number, meta: Meta) {
    this.#file = file;
    this.#meta = meta;
    this.#pages = Math.min(meta.lastPage + 1, Math.floor(fstatSync(file).size / meta.pageBytes));
  }

  *faults(): Generator<PageFault | undefined> {
    for (const [at, { root, depth }] of this.#meta.trees.entries()) {
      // The free list's keys are numbers, which have an order of their own.
      if (root !== NO_PAGE)
        yield* this.#walk(Number(root), Math.min(depth, DEEPEST), at === 1 ? { from: undefined, before: undefined } : undefined);
    }
  }

  *#walk(page: number, depth: number, within: Within | undefined): Generator<PageFault | undefined> {
    if (page < 2 || page >= this.#pages) return yield { page, text: 'is not in the file' };
    const bytes = readPiece(this.#file, page * this.#meta.pageBytes, this.#meta.pageBytes);
    const isLeaf = depth <= 1;
    const text = faultOf(bytes, page, isLeaf) ?? (within && disorderOf(bytes, isLeaf, within));
    if (text !== undefined) return yield { page, text };
    yield undefined;
    const nodes = nodesOf(bytes);
    for (const [at, node] of nodes.entries()) {
      if (isLeaf) {
        const large = largeValueOf(bytes, node);
        if (large && large.first + large.pages > this.#pages) yield { page: large.first, text: 'is not in the file' };
        continue;
      }
      const next = nodes[at + 1];
      const bounds = within && {
        from: at === 0 ? within.from : keyOf(bytes, node),
        before: next === undefined ? within.before : keyOf(bytes, next),
      };
      yield* this.#walk(childOf(bytes, node), depth - 1, bounds);
    }
  }
}

function faultOf(bytes: Buffer, page: number, isLeaf: boolean): string | undefined {
  if (bytes.readBigUInt64LE(0) !== BigInt(page)) return 'has the number of another page';
  if ((bytes.readUInt16LE(18) & KINDS) !== (isLeaf ? LEAF : BRANCH)) return 'is not what the tree says it is';
  const count = bytes.readUInt16LE(20) >>> 1;
  if (count === 0 || HEADER_BYTES + count * 2 > bytes.length) return 'has a wrong number of nodes';
  return nodesOf(bytes).every((node) => isWhole(bytes, node, isLeaf)) ? undefined : 'has a node that leaves the page';
}

function isWhole(bytes: Buffer, node: number, isLeaf: boolean): boolean {
  if (node + NODE_BYTES > bytes.length) return false;
  const valueAt = node + NODE_BYTES + bytes.readUInt16LE(node + 6);
  if (!isLeaf) return valueAt <= bytes.length;
  const isLarge = (bytes.readUInt16LE(node + 4) & IS_LARGE) !== 0;
  return valueAt + (isLarge ? LARGE_VALUE_BYTES : bytes.readUInt32LE(node)) <= bytes.length;
}

function disorderOf(bytes: Buffer, isLeaf: boolean, { from, before }: Within): string | undefined {
  const keys = nodesOf(bytes).map((node) => keyOf(bytes, node));
  // The first key of a branch stands for everything before the second, and is empty.
  if (!isLeaf) keys.shift();
  const inOrder = keys.every((key, at) => Buffer.compare(keys[at - 1] ?? from ?? Buffer.alloc(0), key) <= (at === 0 && from ? 0 : -1));
  const last = keys.at(-1);
  return inOrder && !(before && last && Buffer.compare(last, before) >= 0) ? undefined : 'has keys that are not in order';
}

/** Where the nodes of a page begin. */
function nodesOf(bytes: Buffer): number[] {
  const count = bytes.readUInt16LE(20) >>> 1;
  return Array.from({ length: count }, (_, at) => HEADER_BYTES + bytes.readUInt16LE(HEADER_BYTES + at * 2));
}

function keyOf(bytes: Buffer, node: number): Buffer {
  return bytes.subarray(node + NODE_BYTES, node + NODE_BYTES + bytes.readUInt16LE(node + 6));
}

function childOf(bytes: Buffer, node: number): number {
  return bytes.readUIntLE(node, 6);
}

function largeValueOf(bytes: Buffer, node: number): { readonly first: number; readonly pages: number } | undefined {
  if ((bytes.readUInt16LE(node + 4) & IS_LARGE) === 0) return undefined;
  const at = node + NODE_BYTES + bytes.readUInt16LE(node + 6);
  return { first: Number(bytes.readBigUInt64LE(at)), pages: Number(bytes.readBigUInt64LE(at + 16)) };
}
