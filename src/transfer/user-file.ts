import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { LIMITS } from '../config/limits.ts';
import { InvalidJsonError, isJsonObject, type JsonObject, parseJson, toJsonText } from '../json/free-form.ts';
import { hasLongNumber } from '../json/parts.ts';
import { ArrayCutter } from './cut-array.ts';
import { LineCutter } from './cut-lines.ts';
import { BEGINNING, type Cut, type Cutter, type FilePlace, UserFileError } from './cutter.ts';

/** A user of a file. */
export interface FileUser {
  /** Number of its line from 1, or its index in the array from 0. */
  readonly at: number;
  /** As it stands in the file. */
  readonly text: string;
  readonly user: JsonObject;
}

/** What stands in a file in the place of a user. */
export interface NoUser {
  readonly at: number;
  /** What is wrong with it, a sentence. */
  readonly error: string;
  /** As it stands in the file, where that is text of a length that can be read. */
  readonly text?: string;
  /** True where the text is a JSON object: when corrected, it can be read from a file of rejects. */
  readonly isObject?: true;
}

/** One value of a file, and the place behind it. */
export interface FileItem {
  readonly value: FileUser | NoUser;
  readonly next: FilePlace;
}

/** What users are counted by in a file. */
export type Unit = 'line' | 'index';

/** Where users are read from. */
export interface UserFile {
  readonly unit: Unit;
  /** In bytes; undefined for standard input. */
  readonly size: number | undefined;
  /** Changes with the file; undefined for standard input. */
  readonly fingerprint: string | undefined;
  /** All values from a place on. @throws UserFileError, or what the file system says */
  items(from: FilePlace): AsyncIterable<FileItem>;
}

const CHUNK_BYTES = 256 * 1024;
/** Bytes at each end of a file, for its fingerprint; the file's form must show within the first ones. */
const SAMPLE_BYTES = 64 * 1024;

/** How a file holds its users: one a line, or as the array that begins at this offset. */
type Form = { readonly kind: 'lines' } | { readonly kind: 'array'; readonly offset: number; readonly isAlone: boolean };

const ARRAY = /^(?:\xEF\xBB\xBF)?\s*(\[|\{\s*"users"\s*:\s*\[)/;
const BYTE_ORDER_MARK = '\uFEFF';

function formOf(sample: Buffer): Form {
  // One character a byte, so that the length of the match is an offset.
  const [whole, opening] = ARRAY.exec(sample.toString('latin1')) ?? [];
  if (whole === undefined) return { kind: 'lines' };
  return { kind: 'array', offset: whole.length, isAlone: opening === '[' };
}

function cutterOf(form: Form, from: FilePlace): Cutter {
  const longest = LIMITS.importedUserBytes;
  return form.kind === 'lines' ? new LineCutter(longest, from) : new ArrayCutter(longest, from, form.isAlone);
}

async function* read(chunks: AsyncIterable<Buffer>, cutter: Cutter): AsyncGenerator<FileItem> {
  for await (const chunk of chunks) for (const cut of cutter.push(chunk)) yield itemOf(cut);
  for (const cut of cutter.end()) yield itemOf(cut);
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function itemOf({ at, bytes, next }: Cut): FileItem {
  return { value: valueOf(at, bytes), next };
}

function valueOf(at: number, bytes: Buffer | undefined): FileUser | NoUser {
  if (bytes === undefined) return { at, error: `It is longer than ${LIMITS.importedUserBytes} bytes.` };
  const text = decode(bytes);
  if (text === undefined) return { at, error: 'It cannot be read: not UTF-8.' };
  try {
    // The numbers of a user are bounded as those of a request.
    if (hasLongNumber(text)) throw new InvalidJsonError('number');
    const tree = parseJson(text);
    return isJsonObject(tree) ? userOf(at, text, tree) : { at, error: 'It is not a JSON object.', text };
  } catch (error) {
    if (error instanceof InvalidJsonError) return { at, error: `It cannot be read: ${error.message}.`, text };
    throw error;
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    const text = utf8.decode(bytes);
    return text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  } catch {
    return undefined;
  }
}

/** A line of a file of rejects stands for its user, so that a corrected file can be imported. */
function userOf(at: number, text: string, tree: JsonObject): FileUser {
  const inner = tree['user'];
  return isJsonObject(inner) && Array.isArray(tree['errors']) ? { at, text: toJsonText(inner), user: inner } : { at, text, user: tree };
}

/** Opens a file of users: NDJSON, a JSON array, or an object beginning with `users`. @throws file system errors */
export async function openUserFile(path: string): Promise<UserFile> {
  // A pipe can be read once only.
  if ((await stat(path)).isFIFO()) return openUserStream(createReadStream(path));
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    const sample = Buffer.alloc(SAMPLE_BYTES);
    const first = await handle.read(sample, 0, SAMPLE_BYTES, 0);
    const form = formOf(sample.subarray(0, first.bytesRead));
    const hash = createHash('sha256').update(`${size} `).update(sample.subarray(0, first.bytesRead));
    const last = await handle.read(sample, 0, SAMPLE_BYTES, Math.max(0, size - SAMPLE_BYTES));
    hash.update(sample.subarray(0, last.bytesRead));
    const start = form.kind === 'array' ? { offset: form.offset, passed: 0 } : BEGINNING;
    return {
      unit: form.kind === 'lines' ? 'line' : 'index',
      size,
      fingerprint: hash.digest('hex'),
      items: (from) => {
        const place = from.offset === 0 ? start : from;
        const chunks: AsyncIterable<Buffer> = createReadStream(path, { start: place.offset, highWaterMark: CHUNK_BYTES });
        return read(chunks, cutterOf(form, place));
      },
    };
  } finally {
    await handle.close();
  }
}

/** Reads users from a stream, once and from its beginning. */
export async function openUserStream(stream: AsyncIterable<Buffer>): Promise<UserFile> {
  const chunks = stream[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  for (let length = 0; length < SAMPLE_BYTES; ) {
    const next = await chunks.next();
    if (next.done === true) break;
    parts.push(next.value);
    length += next.value.length;
  }
  const sample = Buffer.concat(parts);
  const form = formOf(sample);
  const offset = form.kind === 'array' ? form.offset : 0;
  async function* all(): AsyncGenerator<Buffer> {
    yield sample.subarray(offset);
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) yield next.value;
  }
  return {
    unit: form.kind === 'lines' ? 'line' : 'index',
    size: undefined,
    fingerprint: undefined,
    items: (from) => {
      if (from.offset > 0) throw new UserFileError('Standard input cannot be read from the middle.');
      return read(all(), cutterOf(form, { offset, passed: 0 }));
    },
  };
}
