import { readGrowing } from '../../store/growing-file.ts';
import type { Backups } from '../backups.ts';
import type { Context } from '../context.ts';
import { Refusal } from '../refusal.ts';
import { isBase } from '../tenants/ensure-base-tenant.ts';

/** `GET /manage/v1/backup`: begins a backup of the whole store; answers its bytes. @throws Refusal */
export async function backUp({ address, backups }: Context): Promise<AsyncIterator<Uint8Array, undefined>> {
  if (!isBase(address)) throw new Refusal('forbidden', { text: 'A backup holds all apps: ask for it at the base app' });
  const begun = await backups.beginBackup();
  if (begun.status === 'BEGUN') return new BackupBytes(backups, begun.id, begun.file);
  if (begun.status === 'UNDER_WAY') throw new Refusal('not-now', { text: 'Another backup is under way, try again later' });
  if (begun.status === 'NO_ROOM') throw new Refusal('not-now', { text: begun.reason });
  throw new Refusal('bad-input', {
    text: 'This store is in no folder: one in memory ends with its process, and a database has tools of its own',
  });
}

/** The bytes of a backup, read while it is made. It is removed when they are over, or nobody wants them any more. */
class BackupBytes implements AsyncIterator<Uint8Array, undefined> {
  readonly #backups: Backups;
  readonly #id: number;
  readonly #bytes: AsyncGenerator<Uint8Array, undefined>;

  constructor(backups: Backups, id: number, file: string) {
    this.#backups = backups;
    this.#id = id;
    const whole = backups.wholeBackup(id);
    // Nobody may ever read it.
    whole.catch(() => {});
    this.#bytes = readGrowing(file, whole);
  }

  /** An end, good or bad, is told when nothing of the backup is left: whoever asked may then ask for the next one. */
  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      const result = await this.#bytes.next();
      return result.done ? await this.return() : result;
    } catch (error) {
      await this.return();
      throw error;
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    await this.#bytes.return(undefined);
    await this.#backups.endBackup(this.#id);
    return { done: true, value: undefined };
  }
}
