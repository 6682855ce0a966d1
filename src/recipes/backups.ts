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

/** What makes backups; one at a time. */
export interface Backups {
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
  beginBackup: async () => ({ status: 'NOT_HERE' }),
  wholeBackup: () => Promise.reject(new Error('there is no backup')),
  endBackup: async () => {},
};
