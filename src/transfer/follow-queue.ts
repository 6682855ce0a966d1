import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { toJsonText } from '../json/free-form.ts';
import type { CoreClient } from './core-client.ts';
import type { CoreQueue } from './core-queue.ts';
import { ID_ENTRY_BYTES, idBytes, type Journal } from './journal.ts';
import type { Reject } from './outcome.ts';
import { askUntilAnswered, type Patience } from './patience.ts';
import { type Entry, entriesOf } from './send-to-core.ts';

const POLL_MS = 500;
/** Failed entries that are asked for at once. */
const PAGE = 100;
const IDS_CHUNK_BYTES = ID_ENTRY_BYTES * 40_000;

/** How the queue is followed. */
export interface FollowOptions {
  readonly client: CoreClient;
  readonly patience: Patience;
  readonly queue: CoreQueue;
  readonly journal: Journal;
  readonly signal: AbortSignal;
  /** Failed entries stay in the queue. */
  readonly keepsFailed: boolean;
  readonly onWaiting: (entries: number) => void;
}

/** Waits until the core's queue is done; moves this import's failed entries to the rejects. @throws ImportFault */
export async function followQueue(options: FollowOptions): Promise<void> {
  const { queue, onWaiting, signal } = options;
  for (let left = await queue.waiting(); left > 0; left = await queue.waiting()) {
    onWaiting(left);
    await wait(POLL_MS, undefined, { signal });
  }
  await collectFailed(options);
}

async function collectFailed({ client, patience, journal, signal, keepsFailed }: FollowOptions): Promise<void> {
  const remove = async (): Promise<void> => {
    const { removing } = journal.state;
    if (removing.length === 0) return;
    const body = Buffer.from(JSON.stringify({ ids: removing }));
    await askUntilAnswered(client, patience, 'POST', '/bulk-import/users/remove', body);
    journal.removed();
  };
  // What a killed process had put among the rejects already.
  await remove();
  for (let token = journal.state.failedFrom; ; ) {
    signal.throwIfAborted();
    const query = `status=FAILED&limit=${PAGE}${token === undefined ? '' : `&paginationToken=${encodeURIComponent(token)}`}`;
    const page = await askUntilAnswered(client, patience, 'GET', `/bulk-import/users?${query}`);
    const entries = entriesOf(page['users']);
    const places = placesOf(journal.idsFile, entries);
    const ours = entries.filter(({ id }) => places.has(id));
    const next = page['nextPaginationToken'];
    token = typeof next === 'string' ? next : undefined;
    const rejects = ours.map((entry) => rejectOfEntry(entry, places.get(entry.id)));
    // Where failed entries stay, END is noted: else a killed process would begin anew and find them again.
    journal.fail(rejects, keepsFailed ? [] : ours.map(({ id }) => id), token ?? (keepsFailed ? END : undefined));
    await remove();
    if (token === undefined) return;
  }
}

/** A token behind the last entry: its page is empty (contract 05 section 6.5). */
const END = Buffer.from('0;0').toString('base64');

/** Numbers in the file, by id, of those entries that this import sent. */
function placesOf(idsFile: string, entries: readonly Entry[]): Map<string, number> {
  const places = new Map<string, number>();
  if (entries.length === 0 || !existsSync(idsFile)) return places;
  // Compares the first four bytes first, so that nearly all of a million ids cost one look-up of a number.
  const wanted = new Map<number, { readonly id: string; readonly bytes: Buffer }[]>();
  for (const { id } of entries) {
    const bytes = idBytes(id);
    if (bytes.length !== 16) continue;
    const start = bytes.readUInt32LE();
    wanted.set(start, [...(wanted.get(start) ?? []), { id, bytes }]);
  }
  const chunk = Buffer.alloc(IDS_CHUNK_BYTES);
  const descriptor = openSync(idsFile, 'r');
  try {
    for (let length = readSync(descriptor, chunk); length > 0; length = readSync(descriptor, chunk)) {
      for (let at = 0; at + ID_ENTRY_BYTES <= length; at += ID_ENTRY_BYTES) {
        for (const { id, bytes } of wanted.get(chunk.readUInt32LE(at)) ?? [])
          if (bytes.equals(chunk.subarray(at, at + bytes.length))) places.set(id, Number(chunk.readBigUInt64LE(at + bytes.length)));
      }
    }
  } finally {
    closeSync(descriptor);
  }
  return places;
}

/** What the queue adds to a user. */
const OF_THE_QUEUE: ReadonlySet<string> = new Set(['id', 'status', 'createdAt', 'updatedAt', 'errorMessage']);

function rejectOfEntry(entry: Entry, at: number | undefined): Reject {
  const user = Object.fromEntries(Object.entries(entry).filter(([name]) => !OF_THE_QUEUE.has(name)));
  const message = entry['errorMessage'];
  return { at, errors: [typeof message === 'string' ? message : 'It failed.'], content: { user: toJsonText(user) } };
}
