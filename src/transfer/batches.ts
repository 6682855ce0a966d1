import type { FilePlace } from './cutter.ts';
import type { BatchSize } from './journal.ts';
import type { Batch } from './outcome.ts';
import type { FileUser, NoUser, UserFile } from './user-file.ts';

/** Cuts a file from a place on into batches. The same file, place and size give the same batches. */
export async function* batchesOf(file: UserFile, from: FilePlace, size: BatchSize): AsyncGenerator<Batch> {
  let users: FileUser[] = [];
  let others: NoUser[] = [];
  let bytes = 0;
  let last: FilePlace | undefined;
  for await (const { value, next } of file.items(from)) {
    const length = 'user' in value ? value.text.length : 0;
    if (last && users.length > 0 && bytes + length > size.bytes) {
      yield { users, others, next: last };
      [users, others, bytes] = [[], [], 0];
    }
    if ('user' in value) users.push(value);
    else others.push(value);
    bytes += length;
    last = next;
    if (users.length + others.length < size.users) continue;
    yield { users, others, next };
    [users, others, bytes, last] = [[], [], 0, undefined];
  }
  if (last) yield { users, others, next: last };
}

/** Asks for the next item before the current one is handled, so that both go on at the same time. */
export async function* ahead<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let coming = iterator.next();
  try {
    for (;;) {
      const { done, value } = await coming;
      if (done === true) return;
      coming = iterator.next();
      // The consumer may take longer than the next item takes to fail: it learns of the failure when it asks.
      coming.catch(() => undefined);
      yield value;
    }
  } finally {
    await coming.catch(() => undefined);
    await iterator.return?.();
  }
}
