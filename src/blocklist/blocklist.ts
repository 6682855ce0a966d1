import { hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { addSum, BlocklistFault, isIn, PAGE_BYTES, pageOf, readHead, type Shape, soundSum } from './format.ts';

export { BlocklistFault } from './format.ts';

/** A blocklist that is open: plain data, good in every thread of the process until it is closed. */
export interface Blocklist {
  readonly file: string;
  readonly descriptor: number;
  readonly shape: Shape;
}

/**
 * Opens a blocklist, and looks at its first page and its size. Nothing is loaded: a look-up reads one page, which the
 * system keeps in memory once for all threads and processes. A file that is replaced by another is read on as it was.
 * @throws BlocklistFault
 */
export function openBlocklist(file: string): Blocklist {
  const descriptor = openFile(file);
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new BlocklistFault('is not a file');
    const head = Buffer.alloc(Math.min(PAGE_BYTES, stat.size));
    readSync(descriptor, head, 0, head.length, 0);
    const shape = readHead(head);
    const wanted = PAGE_BYTES * (shape.pages + 1);
    if (stat.size < wanted) throw new BlocklistFault(`is truncated: it has ${stat.size} of ${wanted} bytes`);
    if (stat.size > wanted) throw new BlocklistFault(`is damaged: it has ${stat.size} bytes instead of ${wanted}`);
    return { file, descriptor, shape };
  } catch (error) {
    closeSync(descriptor);
    if (error instanceof BlocklistFault) throw new BlocklistFault(`${file} ${error.message}`);
    throw error;
  }
}

function openFile(file: string): number {
  try {
    return openSync(file, 'r');
  } catch (error) {
    throw new BlocklistFault(`${file} cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : String(error)})`);
  }
}

export function closeBlocklist({ descriptor }: Blocklist): void {
  closeSync(descriptor);
}

/** Checked before others get their turn: about a millisecond. */
const PAGES_A_TURN = 256;

/** Each thread reads one page at a time. */
const page = Buffer.alloc(PAGE_BYTES);

/**
 * Whether a password stands in the list, where there is one; or, with the probability that the list was built for,
 * looks as if it did.
 * @throws BlocklistFault where the page is not what was written: a damaged list says neither yes nor no
 */
export function isOnList(list: Blocklist | undefined, password: string): boolean {
  if (!list) return false;
  const digest = hash('sha1', password, 'buffer');
  const number = pageOf(digest, list.shape);
  readPage(list, number, page);
  return isIn(page, digest, list.shape.bits);
}

function readPage({ file, descriptor }: Blocklist, number: number, into: Buffer): number {
  const read = readSync(descriptor, into, 0, PAGE_BYTES, PAGE_BYTES * (number + 1));
  const sum = read === PAGE_BYTES ? soundSum(into, number) : undefined;
  if (sum === undefined) throw new BlocklistFault(`${file} is damaged in page ${number + 1}, or was overwritten in place`);
  return sum;
}

/**
 * Reads the whole list and checks every page.
 * @param signal ends it
 * @throws BlocklistFault that names the first page that is not what was written
 */
export async function checkBlocklist(list: Blocklist, signal?: AbortSignal): Promise<void> {
  const { shape, file } = list;
  const into = Buffer.alloc(PAGE_BYTES);
  let total = 0;
  for (let number = 0; number < shape.pages; number++) {
    total = addSum(total, readPage(list, number, into));
    if (number % PAGES_A_TURN === 0) await giveWay(signal);
  }
  if (total !== shape.sum) throw new BlocklistFault(`${file} is damaged: its pages are not those of its first page`);
}

async function giveWay(signal: AbortSignal | undefined): Promise<void> {
  await new Promise(setImmediate);
  signal?.throwIfAborted();
}
