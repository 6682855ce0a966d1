import { randomUUID } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { BEGINNING, type FilePlace } from './cutter.ts';
import { type Batch, ImportFault, type Outcome, type Queued, type Reject } from './outcome.ts';
import type { NoUser, Unit } from './user-file.ts';

/** Files that an import writes beside its work. All of them may hold passwords: nobody else may read them. */
const SECRET_MODE = 0o600;

/** Bytes of an entry in the list of ids: a UUID and the number of the user in the file. */
export const ID_ENTRY_BYTES = 24;
const UUID_BYTES = 16;

function rejectOfOther({ at, error, text, isObject }: NoUser): Reject {
  const content = isObject ? { user: text ?? '' } : { text: text ?? '' };
  return { at, errors: [error], content: text === undefined ? undefined : content };
}

/** Where an import stands: what it holds has happened, and nothing else has, except perhaps the next batch. */
export interface ImportState {
  readonly format: 1;
  /** Random; under it the store remembers its last batch. */
  readonly run: string;
  readonly fingerprint: string | undefined;
  readonly target: string;
  /** Most users and bytes of a batch. */
  readonly size: BatchSize;
  readonly place: FilePlace;
  /** Taken over by the target; some of them may fail in its queue yet. */
  readonly accepted: number;
  readonly rejected: number;
  /** Length of the file of rejects. */
  readonly rejectsBytes: number;
  /** Length of the list of ids. */
  readonly idsBytes: number;
  /** Numbers of users of the next batch that are among the rejects already. */
  readonly excluded: readonly number[];
  /** Queue entries that failed and are among the rejects, but are perhaps still in the queue. */
  readonly removing: readonly string[];
  /** The page of failed entries that comes next. */
  readonly failedFrom: string | undefined;
  /** Between two batches: the next one was certainly not begun. */
  readonly isOrderly: boolean;
  readonly isDone: boolean;
}

export interface BatchSize {
  readonly users: number;
  readonly bytes: number;
}

export interface JournalFiles {
  readonly state: string;
  readonly rejects: string;
}

/** What an import is, to recognise it when it goes on. */
export interface ImportIdentity {
  readonly fingerprint: string | undefined;
  readonly target: string;
  readonly size: BatchSize;
}

/** A file that grows, cut back to what counts when it is opened. */
class GrowingFile {
  readonly path: string;
  #descriptor: number | undefined;
  length: number;

  constructor(path: string, length: number) {
    this.path = path;
    this.length = length;
    // Without this an earlier import's file would be taken for this one's.
    if (length === 0) rmSync(path, { force: true });
  }

  append(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#descriptor === undefined) {
      this.#descriptor = openSync(this.path, existsSync(this.path) ? 'r+' : 'wx+', SECRET_MODE);
      ftruncateSync(this.#descriptor, this.length);
    }
    for (let written = 0; written < bytes.length; )
      written += writeSync(this.#descriptor, bytes, written, bytes.length - written, this.length + written);
    fsyncSync(this.#descriptor);
    this.length += bytes.length;
  }

  /** Cuts off what a killed process wrote beyond what counts. @throws ImportFault where some of that is missing */
  settle(): void {
    if (this.length === 0) return;
    if ((statSync(this.path, { throwIfNoEntry: false })?.size ?? 0) < this.length)
      throw new ImportFault(
        `${this.path} does not hold what this import wrote into it before. Bring it back, or remove the state file to begin anew.`,
      );
    this.#descriptor = openSync(this.path, 'r+');
    ftruncateSync(this.#descriptor, this.length);
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

/** Keeps what an import has done, so that it can be resumed: every step is on disk before the next one begins. */
export class Journal {
  readonly #files: JournalFiles;
  readonly #unit: Unit;
  readonly #rejects: GrowingFile;
  readonly #ids: GrowingFile;
  #state: ImportState;

  /** Resumes the import of the state file, or begins one. @throws ImportFault where the file is another import's */
  constructor(files: JournalFiles, unit: Unit, identity: ImportIdentity) {
    this.#files = files;
    this.#unit = unit;
    this.#state = (identity.fingerprint === undefined ? undefined : readState(files.state, identity)) ?? newState(identity);
    this.#rejects = new GrowingFile(files.rejects, this.#state.rejectsBytes);
    this.#ids = new GrowingFile(idsFileOf(files), this.#state.idsBytes);
    if (this.#state.isDone) return;
    this.#rejects.settle();
    this.#ids.settle();
  }

  get state(): ImportState {
    return this.#state;
  }

  /** Where the list of ids stands: entries of `ID_ENTRY_BYTES`. */
  get idsFile(): string {
    return this.#ids.path;
  }

  /** From here on the next batch may have been begun. */
  begin(): void {
    this.#write({ isOrderly: false });
  }

  /** A batch is done with. */
  keep({ others, next, users }: Batch, { rejects, queued }: Outcome & { readonly status: 'accepted' }): void {
    const all = [...others.map(rejectOfOther), ...rejects].toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0));
    const { accepted, excluded } = this.#state;
    this.#ids.append(Buffer.concat(queued.map(entryOf)));
    this.#add(all, {
      place: next,
      accepted: accepted + users.length - rejects.length,
      excluded: excluded.filter((at) => at > next.passed),
      idsBytes: this.#ids.length,
    });
  }

  /** Users of the next batch cannot be taken over; the others are still to come. */
  exclude(rejects: readonly Reject[]): void {
    this.#add(rejects, { excluded: [...this.#state.excluded, ...rejects.flatMap(({ at }) => at ?? [])] });
  }

  /** Batches are too large for the target. */
  shrink(): void {
    const { users, bytes } = this.#state.size;
    this.#write({ size: { users: Math.max(1, users >> 1), bytes: Math.max(1, bytes >> 1) } });
  }

  /** Users failed after the target had taken them over. */
  fail(rejects: readonly Reject[], removing: readonly string[], failedFrom: string | undefined): void {
    this.#add(rejects, { accepted: this.#state.accepted - rejects.length, removing, failedFrom });
  }

  /** The entries that were to be removed from the queue are. */
  removed(): void {
    this.#write({ removing: [] });
  }

  /** The import stops between two batches. */
  pause(): void {
    this.#write({ isOrderly: true });
  }

  /** The import has come to its end. */
  finish(): void {
    this.#write({ isOrderly: true, isDone: true });
    rmSync(this.#ids.path, { force: true });
  }

  close(): void {
    this.#rejects.close();
    this.#ids.close();
    // Nobody can go on with what came through standard input.
    if (this.#state.fingerprint === undefined) for (const path of [this.#files.state, this.#ids.path]) rmSync(path, { force: true });
  }

  #add(rejects: readonly Reject[], change: Partial<ImportState>): void {
    this.#rejects.append(Buffer.from(rejects.map((reject) => lineOf(this.#unit, reject)).join('')));
    const rejected = this.#state.rejected + rejects.length;
    this.#write({ ...change, rejected, rejectsBytes: this.#rejects.length });
  }

  #write(change: Partial<ImportState>): void {
    this.#state = { ...this.#state, ...change };
    const beside = `${this.#files.state}.new`;
    const descriptor = openSync(beside, 'w', SECRET_MODE);
    writeFileSync(descriptor, `${JSON.stringify(this.#state)}\n`);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(beside, this.#files.state);
  }
}

const idsFileOf = ({ state }: JournalFiles): string => `${state}.ids`;

function newState({ fingerprint, target, size }: ImportIdentity): ImportState {
  return {
    format: 1,
    run: randomUUID(),
    fingerprint,
    target,
    size,
    place: BEGINNING,
    accepted: 0,
    rejected: 0,
    rejectsBytes: 0,
    idsBytes: 0,
    excluded: [],
    removing: [],
    failedFrom: undefined,
    isOrderly: true,
    isDone: false,
  };
}

function readState(path: string, { fingerprint, target }: ImportIdentity): ImportState | undefined {
  if (!existsSync(path)) return undefined;
  const state = parseState(readFileSync(path, 'utf8'));
  const advice = `Remove ${path} to begin anew.`;
  if (!state) throw new ImportFault(`${path} is not the state of an import. ${advice}`);
  if (state.fingerprint !== fingerprint)
    throw new ImportFault(`${path} says how far the import of another file came, or of this one before it changed. ${advice}`);
  if (state.target !== target)
    throw new ImportFault(`${path} says how far an import into ${state.target} came, not into ${target}. ${advice}`);
  return state;
}

function parseState(text: string): ImportState | undefined {
  try {
    const state: unknown = JSON.parse(text);
    // Only this program writes such files, as a whole.
    return typeof state === 'object' && state !== null && 'format' in state && state.format === 1 ? (state as ImportState) : undefined;
  } catch {
    return undefined;
  }
}

function entryOf({ at, id }: Queued): Buffer {
  const entry = Buffer.alloc(ID_ENTRY_BYTES);
  idBytes(id).copy(entry);
  entry.writeBigUInt64LE(BigInt(at), UUID_BYTES);
  return entry;
}

/** The bytes of a UUID. */
export const idBytes = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex').subarray(0, UUID_BYTES);

/** A line of the file of rejects. White space between JSON tokens may hold line feeds, strings cannot. */
function lineOf(unit: Unit, { at, errors, content }: Reject): string {
  const place = at === undefined ? '' : `"${unit}":${at},`;
  const shown =
    content === undefined
      ? ''
      : 'user' in content
        ? `,"user":${content.user.replaceAll(/[\r\n]+/g, ' ')}`
        : `,"text":${JSON.stringify(content.text)}`;
  return `{${place}"errors":${JSON.stringify(errors)}${shown}}\n`;
}
