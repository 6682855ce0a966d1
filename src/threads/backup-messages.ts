/** What a core asks of the process that makes a backup for it. */
export interface BackupAsked {
  readonly dataDir: string;
  /** A folder on the disk of the result, which is used meanwhile. */
  readonly work: string;
  /** Where the result is wanted as a file; where left out, it stays in `work` until whoever asked is gone. */
  readonly file?: string;
  /** See `CopyManner`; without a file to save, which may be made anew. */
  readonly withFree: boolean;
}

/** What that process says. */
export type BackupSaid =
  | { readonly kind: 'begun'; readonly file: string }
  | { readonly kind: 'whole' }
  /** Nothing of it is left. */
  | { readonly kind: 'refused'; readonly why: 'under-way' | 'no-room' | 'lost-pages' | 'fault'; readonly reason: string };
