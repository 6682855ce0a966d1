import { closeSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { finishFile } from '../store/sync-file.ts';
import { addSum, addTo, BlocklistFault, headOf, PAGE_BYTES, pageOf, sealPage, type Shape, shapeFor } from './format.ts';
import { type ListKind, readList } from './read-list.ts';

/** Pages that are filled at a time: half a gibibyte. A larger list is read several times. */
const PAGES_IN_MEMORY = 2 ** 17;

/** What a blocklist is built of. */
export interface BuildParts extends ListKind {
  readonly file: string;
  /** Read in their order; a password that stands in several, or several times, counts once in all but the size. */
  readonly lists: readonly string[];
  /** Between 0 and 1. */
  readonly falsePositives: number;
  /**
   * Told how many passwords were read this time, and the part of all readings that is done; undefined while they are
   * counted.
   */
  readonly progress: (passwords: number, part: number | undefined) => void;
  /** Ends it. */
  readonly signal?: AbortSignal | undefined;
  /** Pages in memory at a time; for tests. */
  readonly pagesInMemory?: number;
}

/**
 * Builds a blocklist in bounded memory: lists are read once to count, and once for each run of pages. The file has its
 * name only when it is whole and on the disk.
 * @throws ListFault, BlocklistFault, or what the file system says
 */
export async function buildBlocklist(parts: BuildParts): Promise<Shape> {
  const { file, falsePositives, pagesInMemory = PAGES_IN_MEMORY } = parts;
  let passwords = 0;
  await readLists(parts, undefined, () => {
    passwords += 1;
  });
  if (passwords === 0) throw new BlocklistFault('There is no password in these lists: a blocklist of nothing would block nothing');
  const shape = shapeFor(passwords, falsePositives);
  const unfinished = `${file}.${process.pid}.unfinished`;
  const target = openSync(unfinished, 'wx', 0o600);
  try {
    let sum = 0;
    const memory = Buffer.alloc(PAGE_BYTES * Math.min(pagesInMemory, shape.pages));
    for (let first = 0; first < shape.pages; first += pagesInMemory) {
      const count = Math.min(pagesInMemory, shape.pages - first);
      await fill(parts, shape, memory.fill(0), { first, count });
      for (let nth = 0; nth < count; nth++) sum = addSum(sum, sealPage(pageIn(memory, nth), first + nth));
      writeAll(target, memory.subarray(0, PAGE_BYTES * count), PAGE_BYTES * (first + 1));
    }
    const whole = { ...shape, sum };
    writeAll(target, headOf(whole), 0);
    finishFile(unfinished, file);
    return whole;
  } catch (error) {
    rmSync(unfinished, { force: true });
    throw error;
  } finally {
    closeSync(target);
  }
}

/** Pages that are filled together. */
interface Run {
  readonly first: number;
  readonly count: number;
}

const pageIn = (memory: Buffer, nth: number): Buffer => memory.subarray(PAGE_BYTES * nth, PAGE_BYTES * (nth + 1));

function fill(parts: BuildParts, shape: Omit<Shape, 'sum'>, memory: Buffer, { first, count }: Run): Promise<void> {
  const span = { from: first / shape.pages, to: (first + count) / shape.pages };
  return readLists(parts, span, (digest) => {
    const nth = pageOf(digest, shape) - first;
    if (nth >= 0 && nth < count) addTo(memory, PAGE_BYTES * nth, digest, shape.bits);
  });
}

/** Parts of the whole work, 0 to 1. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Reads all lists once. @param span what part of the work that is, for the progress */
async function readLists(parts: BuildParts, span: Span | undefined, take: (digest: Buffer) => void): Promise<void> {
  const { lists, progress, signal } = parts;
  const total = Math.max(
    1,
    lists.reduce((sum, list) => sum + statSync(list).size, 0),
  );
  let bytes = 0;
  let passwords = 0;
  const taken = (digest: Buffer): void => {
    passwords += 1;
    take(digest);
  };
  for (const list of lists)
    await readList(list, parts, taken, (read) => {
      signal?.throwIfAborted();
      bytes += read;
      progress(passwords, span && span.from + (span.to - span.from) * Math.min(1, bytes / total));
    });
}

/** One call writes 2 GiB at most. */
function writeAll(descriptor: number, bytes: Buffer, at: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(descriptor, bytes, done, bytes.length - done, at + done);
}
