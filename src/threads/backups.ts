import { type ChildProcess, fork } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config/config.ts';
import { letGiveWay } from '../jobs/give-way.ts';
import { backupsIn } from '../jobs/scheduled-backups.ts';
import type { Served } from '../lanes/tasks.ts';
import type { BackupAttempt, BackupBegun, BackupFile, BackupSaver, Backups, BackupsState, ScheduledBackups } from '../recipes/backups.ts';
import { HOUR_MS } from '../recipes/recipe.ts';
import { isInFolder, type StorePlan } from '../store/plan.ts';
import { clearWorkFolder, workFolderIn } from '../store/work-folder.ts';
import type { BackupAsked, BackupSaid } from './backup-messages.ts';

/** What the configuration says of a schedule. */
type BackupOptions = Pick<Config, 'backup_dir' | 'backup_every' | 'backup_keep'>;

/** What is told of backups comes from there. Times are ms since the epoch. */
interface BackupWorld {
  readonly now: () => number;
  /** When the job of the schedule last ended in the cluster. */
  readonly lastRun: () => Promise<number | undefined>;
}

/** What main does for backups. */
export type BackupTasks = Backups & BackupSaver;

const PROGRAM = fileURLToPath(new URL('../backup-process.js', import.meta.url));
/** Beside the backups that are made on a schedule: the place of one that is not finished. */
const UNFINISHED = 'partial';

/** A process that makes a backup. */
class Making {
  /** The first that it says. */
  readonly begun: Promise<BackupSaid>;
  /** The last that it says. */
  readonly whole: Promise<BackupSaid>;
  readonly ended: Promise<void>;
  readonly #child: ChildProcess;

  constructor(asked: BackupAsked) {
    this.#child = fork(PROGRAM, [JSON.stringify(asked)], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    letGiveWay(this.#child.pid);
    this.begun = this.#next(() => true);
    this.whole = this.#next(({ kind }) => kind !== 'begun');
    this.ended = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
  }

  /** Has it remove what it made, unless that is wanted as a file, and end. */
  end(): void {
    if (this.#child.connected) this.#child.disconnect();
  }

  #next(isMeant: (said: BackupSaid) => boolean): Promise<BackupSaid> {
    return new Promise((resolve) => {
      const failed = (reason: string): void => resolve({ kind: 'refused', why: 'fault', reason });
      this.#child.on('message', (said: BackupSaid) => isMeant(said) && resolve(said));
      this.#child.once('error', (error) => failed(error.message));
      this.#child.once('exit', (code, signal) => failed(`the process that made the backup ended with ${code ?? signal}`));
    });
  }
}

/** Makes backups of the store that this process serves, one at a time, each in a process of its own. */
export class BackupDesk {
  readonly #plan: StorePlan;
  readonly #schedule: BackupOptions;
  readonly #world: BackupWorld;
  #lastAttempt: BackupAttempt | undefined;
  #making: Making | undefined;
  #id = 0;
  /** Once the store turned out not to be copied otherwise. */
  #withFree = false;
  readonly tasks: Served<BackupTasks> = {
    backupsState: () => this.#state(),
    beginBackup: (_, asking) => this.#begin(asking?.signal),
    wholeBackup: ([id]) => this.#wait(id),
    endBackup: ([id]) => this.#end(id),
    saveBackup: ([file]) => this.#saveNoting(file),
  };

  constructor(plan: StorePlan, schedule: BackupOptions, world: BackupWorld) {
    this.#plan = plan;
    this.#schedule = schedule;
    this.#world = world;
    const { backup_dir: folder } = schedule;
    if (isInFolder(plan)) clearQuietly(workFolderIn(plan.path));
    if (folder !== null) clearQuietly(join(folder, UNFINISHED));
  }

  /** Ends what is under way, and resolves when nothing of it is left. */
  async close(): Promise<void> {
    await this.#end(this.#id);
  }

  /** @param signal aborts when the thread that asked is gone */
  async #begin(signal: AbortSignal | undefined): Promise<BackupBegun> {
    if (!isInFolder(this.#plan)) return { status: 'NOT_HERE' };
    const making = this.#start({ dataDir: this.#plan.path, work: workFolderIn(this.#plan.path), withFree: this.#withFree });
    if (!making) return { status: 'UNDER_WAY' };
    const id = this.#id;
    const drop = (): void => void this.#end(id);
    signal?.addEventListener('abort', drop);
    void making.ended.then(() => signal?.removeEventListener('abort', drop));
    const said = await making.begun;
    if (said.kind === 'begun') return { status: 'BEGUN', id, file: said.file };
    await this.#end(id);
    if (said.kind === 'refused' && said.why === 'under-way') return { status: 'UNDER_WAY' };
    if (said.kind === 'refused' && said.why === 'no-room') return { status: 'NO_ROOM', reason: said.reason };
    throw new Error(said.kind === 'refused' ? said.reason : 'it began without a word');
  }

  async #wait(id: number): Promise<void> {
    const said = await (id === this.#id ? this.#making?.whole : undefined);
    if (said?.kind === 'refused' && said.why === 'lost-pages') this.#withFree = true;
    if (said?.kind !== 'whole') throw new Error(said?.kind === 'refused' ? said.reason : 'this backup was ended');
  }

  async #state(): Promise<BackupsState> {
    const isPossible = isInFolder(this.#plan);
    const { backup_dir: folder } = this.#schedule;
    const schedule = isPossible && folder !== null ? await this.#scheduled(folder) : undefined;
    return { isPossible, isUnderWay: this.#making !== undefined, schedule };
  }

  async #scheduled(folder: string): Promise<ScheduledBackups> {
    const { backup_every: everyHours, backup_keep: keep } = this.#schedule;
    const [lastRun, found] = await Promise.all([this.#world.lastRun(), filesOrFault(folder)]);
    return {
      folder,
      everyHours,
      keep,
      nextAt: lastRun === undefined ? undefined : Math.round(lastRun + everyHours * HOUR_MS),
      lastAttempt: this.#lastAttempt,
      ...found,
    };
  }

  async #saveNoting(file: string): Promise<boolean> {
    try {
      const isMade = await this.#save(file);
      if (isMade) this.#lastAttempt = { at: this.#world.now() };
      return isMade;
    } catch (error) {
      this.#lastAttempt = { at: this.#world.now(), error: error instanceof Error ? error.message : String(error) };
      throw error;
    }
  }

  async #save(file: string): Promise<boolean> {
    if (!isInFolder(this.#plan)) throw new Error('only a store in a folder has backups of ours');
    const making = this.#start({ dataDir: this.#plan.path, work: join(dirname(file), UNFINISHED), file, withFree: false });
    if (!making) return false;
    const id = this.#id;
    const said = await making.whole;
    await this.#end(id);
    if (said.kind === 'whole') return true;
    if (said.kind === 'refused' && said.why === 'under-way') return false;
    throw new Error(said.kind === 'refused' ? said.reason : 'it did not come to its end');
  }

  /** Undefined while another one is under way. */
  #start(asked: BackupAsked): Making | undefined {
    if (this.#making) return undefined;
    this.#id += 1;
    this.#making = new Making(asked);
    return this.#making;
  }

  async #end(id: number): Promise<void> {
    const making = this.#making;
    if (!making || id !== this.#id) return;
    making.end();
    await making.ended;
    if (this.#making === making) this.#making = undefined;
  }
}

/** What is in the folder, or why it cannot be read. */
async function filesOrFault(folder: string): Promise<Pick<ScheduledBackups, 'files' | 'folderError'>> {
  try {
    return { files: await backupsIn(folder), folderError: undefined };
  } catch (error) {
    return { files: [] as readonly BackupFile[], folderError: error instanceof Error ? error.message : String(error) };
  }
}

/** Removes what a killed process left, if that can be done: whoever makes the next backup there is told why not. */
function clearQuietly(path: string): void {
  try {
    clearWorkFolder(path);
  } catch {
    // No start fails for it.
  }
}
