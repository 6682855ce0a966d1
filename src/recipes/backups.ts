/** A backup of the whole store that began, or why it did not. */
export type BackupBegun =
  /** @param file grows until `wholeBackup` resolves, and is there until `endBackup` */
  | { readonly status: 'BEGUN'; readonly id: number; readonly file: string }
  /** Another one is under way on this store. */
  | { readonly status: 'UNDER_WAY' }
  /** The disk has no room for it; `reason` is a sentence. */
  | { readonly status: 'NO_ROOM'; readonly reason: string }
  /** The store ends with its process, or has tools of its own for that. */
  | { readonly status: 'NOT_HERE' };

/** A backup that was made on the schedule. */
export interface BackupFile {
  readonly name: string;
  readonly bytes: number;
  /** ms since the epoch. */
  readonly finishedAt: number;
}

/** How an attempt on the schedule ended. */
export interface BackupAttempt {
  /** When, ms since the epoch. */
  readonly at: number;
  /** A sentence, where it failed. */
  readonly error?: string;
}

/** Backups on the schedule, as the process that is asked knows them. */
export interface ScheduledBackups {
  readonly folder: string;
  /** Hours from the end of one to the start of the next. */
  readonly everyHours: number;
  /** How many are kept. */
  readonly keep: number;
  /** About when the next one begins, ms since the epoch; `undefined` until jobs have run for the first time. */
  readonly nextAt: number | undefined;
  /** The last attempt that this process made since its start. */
  readonly lastAttempt: BackupAttempt | undefined;
  /** The newest first, a hundred at most. */
  readonly files: readonly BackupFile[];
  /** Why the folder cannot be read. */
  readonly folderError: string | undefined;
}

/** What is known of backups. */
export interface BackupsState {
  /** False where the store ends with its process, or has tools of its own for that. */
  readonly isPossible: boolean;
  /** Whether this process makes one now. */
  readonly isUnderWay: boolean;
  /** `undefined` where the configuration asks for none. */
  readonly schedule: ScheduledBackups | undefined;
}

/** What makes backups; one at a time. */
export interface Backups {
  backupsState(): Promise<BackupsState>;
  beginBackup(): Promise<BackupBegun>;
  /** Resolves when the file of this backup is whole; rejects where it will never be. It ends with whoever waits. */
  wholeBackup(id: number): Promise<void>;
  /** Removes what was made for it. */
  endBackup(id: number): Promise<void>;
}

/** What saves backups on a schedule. */
export interface BackupSaver {
  /** Makes a backup in a file of this name. False where another one is under way. @throws Error where it fails */
  saveBackup(file: string): Promise<boolean>;
}

/** Where nothing makes backups. */
export const NO_BACKUPS: Backups = {
  backupsState: async () => ({ isPossible: false, isUnderWay: false, schedule: undefined }),
  beginBackup: async () => ({ status: 'NOT_HERE' }),
  wholeBackup: () => Promise.reject(new Error('there is no backup')),
  endBackup: async () => {},
};
